-- Orders for people, newest first, by what is given; those in review by when they went there. An order in review whose payment
-- another order of its account has is none that a person has to decide about, and is left out where reviews are asked for.
--
-- It looks at no more than `depth` orders, however many there are. Where it ended at that bound, the last row has no order_id, and
-- created_at has the time that it came to: ask again with that time as `until`.
--
-- until: before this time. before_order: the last order of the page before.

create or replace function counterfoil.desk_orders(
    of_account text, of_state text, of_product text, of_bundle text, since timestamptz, until timestamptz, before_order text, most integer,
    depth integer default 5000
)
returns table (
    order_id text, bundle_id text, product_id text, account_id text, state text, reason text, transaction_id text, environment text,
    attempts integer, created_at timestamptz, updated_at timestamptz
)
language plpgsql stable security definer rows 50 set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
#variable_conflict use_column
declare
    pages refcursor;
    before record;
    o record;
    looked integer := 0;
    found_orders integer := 0;
    needs_nobody boolean;
    account constant text := (select n.account_id from counterfoil.account_now(of_account) n);
begin
    select b.number, b.created_at, coalesce(r.since, b.updated_at) as since into before
    from counterfoil.orders b
    left join counterfoil.orders_in_review r on r.order_id = b.order_id
    where b.order_id = before_order;

    if of_state = 'review' then
        -- roll_up lists an order within a minute; newer ones are among the newest orders.
        open pages for
            select q.*, w.since as listed_at
            from (
                (
                    select r.order_id, r.since
                    from counterfoil.orders_in_review r
                    where r.since <= coalesce(before.since, until, 'infinity')
                    order by r.since desc
                    limit depth
                )
                union all
                select n.order_id, n.updated_at
                from (select * from counterfoil.orders n order by n.number desc limit 2000) n
                where n.state = 'review'
                    and not exists (select from counterfoil.orders_in_review r where r.order_id = n.order_id)
            ) w
            cross join lateral (
                select s.order_id, s.bundle_id, s.product_id, s.account_id, s.state, s.reason, s.transaction_id, s.environment,
                    s.attempts, s.created_at, s.updated_at
                from counterfoil.orders s where s.order_id = w.order_id offset 0
            ) q
            where before_order is null or (w.since, w.order_id) < (coalesce(before.since, 'infinity'), before_order)
            order by w.since desc, w.order_id desc;
    elsif of_account is not null then
        -- The newest of each product of the account, by their index. Of a moved one what was written with it.
        open pages for
            with recursive accounts as materialized (
                select k.account_id from counterfoil.accounts_of(of_account) k
                union
                select of_account
            ), products (account_id, product_id) as (
                select
                    k.account_id,
                    (
                        select p.product_id from counterfoil.orders p
                        where p.account_id = k.account_id order by p.account_id, p.product_id limit 1
                    )
                from accounts k
                union all
                select
                    l.account_id,
                    (
                        select p.product_id from counterfoil.orders p
                        where p.account_id = l.account_id and p.product_id > l.product_id
                        order by p.account_id, p.product_id
                        limit 1
                    )
                from products l
                where l.product_id is not null
            )
            select q.*, q.created_at as listed_at
            from products p
            cross join lateral (
                select s.order_id, s.bundle_id, s.product_id, s.account_id, s.state, s.reason, s.transaction_id, s.environment,
                    s.attempts, s.created_at, s.updated_at
                from counterfoil.orders s
                where s.account_id = p.account_id and s.product_id = p.product_id
                    and coalesce((select false from counterfoil.moved_orders m where m.order_number = s.number), true)
                    and s.created_at <= coalesce(before.created_at, 'infinity')
                    and (before_order is null or (s.created_at, s.number) < (before.created_at, before.number))
                    and s.created_at >= coalesce(since, '-infinity') and s.created_at < coalesce(until, 'infinity')
                order by s.created_at desc
                limit case when of_state is null and of_bundle is null then most + 1 else depth end
            ) q
            where of_product is null or p.product_id = of_product
            union all
            -- Transferred to it.
            select
                s.order_id, s.bundle_id, s.product_id, s.account_id, s.state, s.reason, s.transaction_id, s.environment,
                s.attempts, s.created_at, s.updated_at, s.created_at
            from accounts k
            join counterfoil.moved_orders m on m.account_id = k.account_id
            cross join lateral (select * from counterfoil.orders s where s.number = m.order_number offset 0) s
            where s.created_at <= coalesce(before.created_at, 'infinity')
                and (before_order is null or (s.created_at, s.number) < (before.created_at, before.number))
                and s.created_at >= coalesce(since, '-infinity') and s.created_at < coalesce(until, 'infinity')
            order by created_at desc, order_id desc;
    else
        open pages for
            select
                s.order_id, s.bundle_id, s.product_id, s.account_id, s.state, s.reason, s.transaction_id, s.environment, s.attempts,
                s.created_at, s.updated_at, s.created_at as listed_at
            from counterfoil.orders s
            where s.number < least(
                    coalesce(before.number, 9223372036854775807),
                    coalesce(counterfoil.order_number_at(until + interval '1 hour'), 9223372036854775807))
                and s.number >= coalesce(counterfoil.order_number_at(since - interval '1 hour'), 0)
            order by s.number desc;
    end if;

    loop
        fetch pages into o;
        exit when not found;
        looked := looked + 1;
        if (of_account is null or of_state is distinct from 'review' or (select n.account_id from counterfoil.account_now(o.account_id) n) = account)
            and (of_product is null or o.product_id = of_product)
            and (of_bundle is null or o.bundle_id = of_bundle) and (of_state is null or o.state = of_state)
            and (since is null or o.listed_at >= since) and (until is null or o.listed_at < until)
        then
            -- A look-up, which the others are spared.
            needs_nobody := false;
            if of_state = 'review' then
                needs_nobody := not exists (select from counterfoil.open_reviews r where r.order_id = o.order_id);
            end if;
            if not needs_nobody then
                return query
                select
                    o.order_id, o.bundle_id, o.product_id, n.account_id, o.state, o.reason, o.transaction_id, o.environment, o.attempts,
                    o.created_at, o.updated_at
                from counterfoil.orders x
                cross join lateral counterfoil.account_now(x.account_id, x.number) n
                where x.order_id = o.order_id;
                found_orders := found_orders + 1;
                exit when found_orders >= most;
            end if;
        end if;
        if looked >= depth then
            return query
            select
                null::text, null::text, null::text, null::text, null::text, null::text, null::text, null::text, null::integer,
                o.listed_at, null::timestamptz;
            exit;
        end if;
    end loop;
    close pages;
end
$$;
comment on function counterfoil.desk_orders(text, text, text, text, timestamptz, timestamptz, text, integer, integer) is
    'Private: orders for people, newest first, by what is given.';
grant execute on function counterfoil.desk_orders(text, text, text, text, timestamptz, timestamptz, text, integer, integer)
    to counterfoil_worker, counterfoil_support, counterfoil_reader;
