-- Forgets an account, with those that were moved to it, as the law asks: in all rows a pseudonym stands in its place, a random one,
-- the same in all, so that grants and orders still agree. What was granted stays granted, and can't be granted again. Returns the
-- pseudonym, and what was changed.
--
-- - Tokens of its orders and payments, and Apple's name of the customer, become null. A token that Apple still sends speaks for
--   nobody.
-- - Kept proofs, and what Apple told of its payments, leave: the signed texts name the token. So does what webhooks were still to
--   say of it. What they are to say of others loses its name.
-- - What a person wrote about it, and the feed's details, lose its name. Order ids are the shop's, and stay.
-- - Its open orders are cancelled: nobody pays for them any more.
-- - The feed tells account_forgotten with the old name, once; that row is dropped with its partition. All else that the feed has of
--   the account comes as the kind forgotten (changes_since).
--
-- Refused while jobs of its orders wait or run, or were given up: a person decides about these first. Orders are locked, so that no
-- upload comes in between.
--
-- The one act that changes rows of the append-only tables, in its own database transaction: refuse_change,
-- refuse_change_of_payment.
--
-- Each row is looked up from the account: by its orders, or by the originals of their payments.
create or replace function counterfoil.forget_account(of_account text, who text, why text)
returns table (pseudonym text, orders bigint, payments bigint, proofs bigint, cancelled bigint)
language plpgsql security definer rows 1 set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
#variable_conflict use_column
declare
    accounts text[];
    numbers bigint[];
    ids text[];
    new_name constant text := 'forgotten-' || replace(gen_random_uuid()::text, '-', '');
    account text;
    changed bigint;
begin
    lock table counterfoil.moves in share row exclusive mode;
    if exists (select from counterfoil.moved_accounts m where m.account_id = of_account) then
        perform counterfoil.refuse('account_was_moved');
    elsif counterfoil.is_forgotten(of_account) then
        perform counterfoil.refuse('forgotten_accounts_stay_so');
    elsif not counterfoil.is_known_account(of_account) then
        perform counterfoil.refuse('forgotten_accounts_are_known');
    end if;
    accounts := array(select k.account_id from counterfoil.accounts_of(of_account) k);

    -- What its accounts made, and what was transferred to them. What they made and is another's now loses the name of its maker,
    -- too.
    select array_agg(f.number order by f.order_id), array_agg(f.order_id order by f.order_id)
    into numbers, ids
    from (
        select o.number, o.order_id from counterfoil.orders o where o.account_id = any (accounts)
        union
        select o.number, o.order_id
        from counterfoil.moved_orders m
        cross join lateral (select * from counterfoil.orders o where o.number = m.order_number offset 0) o
        where m.account_id = any (accounts)
    ) f;
    perform from counterfoil.orders o where o.order_id = any (ids) order by o.order_id for update;
    if exists (select from counterfoil.jobs j where j.order_number = any (numbers)) then
        perform counterfoil.refuse('forgotten_accounts_have_no_jobs');
    end if;

    insert into counterfoil.erasures (pseudonym, who, why, database_transaction)
    values (
        new_name, counterfoil.without_accounts(forget_account.who, accounts, new_name),
        counterfoil.without_accounts(forget_account.why, accounts, new_name), pg_current_xact_id()
    );
    pseudonym := new_name;

    create temporary table forgotten_payments on commit drop as
    select distinct
        p.transaction_id, p.bundle_id, p.environment, p.original_transaction_id, coalesce(p.product_kind, '') = 'auto_renewable' as is_period
    from (
        select g.* from counterfoil.payments g where g.order_number = any (numbers)
        union
        select u.* from counterfoil.payments u where u.shown_by_number = any (numbers) and u.reason is not null
        union
        select u.* from counterfoil.payments u where u.account_id = any (accounts) and u.reason is not null
    ) f
    cross join lateral (
        select * from counterfoil.payments s
        where s.transaction_id = f.original_transaction_id and s.bundle_id = f.bundle_id and s.environment = f.environment
        union
        select * from counterfoil.payments s
        where s.original_transaction_id = f.original_transaction_id and s.bundle_id = f.bundle_id and s.environment = f.environment
            and s.original_transaction_id <> s.transaction_id
        union
        select * from counterfoil.payments s
        where s.transaction_id = f.transaction_id and s.bundle_id = f.bundle_id and s.environment = f.environment
    ) p;
    create index on forgotten_payments (transaction_id);
    create temporary table forgotten_tokens on commit drop as
    select distinct o.app_account_token as token from counterfoil.orders o
    where o.account_id = any (accounts) and o.app_account_token is not null;
    create index on forgotten_tokens (token);

    update counterfoil.orders o
    set state = 'cancelled', reason = 'order_cancelled', version = o.version + 1, updated_at = now()
    where o.account_id = any (accounts) and o.state = 'open';
    get diagnostics cancelled = row_count;
    update counterfoil.orders o
    set account_id = new_name, app_account_token = null
    where o.account_id = any (accounts);
    get diagnostics orders = row_count;
    update counterfoil.moved_orders m set account_id = new_name where m.account_id = any (accounts);
    delete from counterfoil.moved_accounts m where m.account_now = of_account;

    update counterfoil.payments p
    set account_id = case when p.account_id = any (accounts) then new_name else p.account_id end,
        app_account_token = null,
        customer_id = case when p.account_id = any (accounts) then null else p.customer_id end
    from forgotten_payments f
    where p.transaction_id = f.transaction_id and p.bundle_id = f.bundle_id and p.environment = f.environment
        and (
            p.account_id = any (accounts)
            or exists (select from forgotten_tokens t where t.token = p.app_account_token)
        );
    get diagnostics payments = row_count;
    -- What Apple told by a token of its, and nobody showed.
    update counterfoil.payments p
    set app_account_token = null
    from forgotten_tokens t
    where p.app_account_token = t.token and p.reason is not null;

    delete from counterfoil.proofs p where p.order_id = any (ids);
    get diagnostics proofs = row_count;
    delete from counterfoil.proofs p where p.account_id = any (accounts);
    get diagnostics changed = row_count;
    proofs := proofs + changed;
    -- What webhooks were still to say, and no session reads more meanwhile. Endpoints are told that it was forgotten. All events of
    -- a key leave, or none: nothing waits behind one that left. What is another's now stays.
    perform from counterfoil.webhook_endpoints w order by w.number for no key update;
    delete from counterfoil.webhook_events v
    using counterfoil.webhook_endpoints w
    where v.endpoint = w.number
        and v.key in (
            select 'account ' || a.name from unnest(accounts) a (name)
            union all
            select 'order ' || o.order_id
            from counterfoil.orders o
            cross join lateral counterfoil.account_now(o.account_id, o.number) n
            where o.order_id = any (ids) and n.account_id = new_name
            union all
            select concat_ws(' ', 'payment', f.bundle_id, f.environment, f.transaction_id)
            from forgotten_payments f
            where exists (
                select from counterfoil.payments p
                where p.transaction_id = f.transaction_id and p.bundle_id = f.bundle_id and p.environment = f.environment
                    and p.account_id = new_name
            ) or exists (
                select from counterfoil.told_payments t
                where t.transaction_id = f.transaction_id and t.bundle_id = f.bundle_id and t.environment = f.environment
                    and t.account_id = any (accounts)
            )
        );
    update counterfoil.webhook_events v
    set body = counterfoil.json_without_accounts(v.body::jsonb, accounts, new_name)::text
    from counterfoil.webhook_endpoints w
    where v.endpoint = w.number
        and exists (select from unnest(accounts) a (name) where position(to_json(a.name)::text in v.body) > 0);
    update counterfoil.other_attempts a
    set message = counterfoil.without_accounts(a.message, accounts, new_name)
    where a.order_number = any (numbers) and a.message is not null;
    update counterfoil.order_events e
    set who = counterfoil.without_accounts(e.who, accounts, new_name),
        why = counterfoil.without_accounts(e.why, accounts, new_name)
    where e.order_id = any (ids);
    update counterfoil.moves m
    set from_account = counterfoil.without_accounts(m.from_account, accounts, new_name),
        to_account = counterfoil.without_accounts(m.to_account, accounts, new_name),
        who = counterfoil.without_accounts(m.who, accounts, new_name), why = counterfoil.without_accounts(m.why, accounts, new_name)
    where m.id in (
        select v.id from counterfoil.moves v where v.from_account = any (accounts)
        union
        select v.id from counterfoil.moves v where v.to_account = any (accounts)
        union
        select v.id from unnest(numbers) n (number) join counterfoil.moves v on v.order_number = n.number
    );

    update counterfoil.consumption_answers a
    set who = counterfoil.without_accounts(a.who, accounts, new_name), why = counterfoil.without_accounts(a.why, accounts, new_name)
    from forgotten_payments f
    join counterfoil.consumption_requests c
        on c.transaction_id = f.transaction_id and c.bundle_id = f.bundle_id and c.environment = f.environment
    where a.notification_id = c.notification_id;

    update counterfoil.accesses a set account_id = new_name where a.account_id = any (accounts);
    delete from counterfoil.sandbox_accounts s using counterfoil.apps b
    where s.bundle_id = b.bundle_id and s.account_id = any (accounts);
    delete from counterfoil.suspicion_minutes s where s.account_id = any (accounts);
    delete from counterfoil.unfound_payments u using counterfoil.gates g where u.lane = g.lane and u.account_id = any (accounts);
    update counterfoil.notifications n
    set payload = null, message = counterfoil.without_accounts(n.message, accounts, new_name)
    from forgotten_payments f
    where n.transaction_id = f.transaction_id and n.bundle_id = f.bundle_id and n.environment = f.environment
        and n.outcome is not null;
    update counterfoil.notifications n
    set message = counterfoil.without_accounts(n.message, accounts, new_name)
    where n.order_id = any (ids) and n.message is not null;

    update counterfoil.told_payments t
    set account_id = new_name
    from forgotten_payments f
    where t.transaction_id = f.transaction_id and t.bundle_id = f.bundle_id and t.environment = f.environment
        and t.account_id = any (accounts);
    update counterfoil.told_subscriptions t
    set state = counterfoil.json_without_accounts(t.state, accounts, new_name)
    from (select distinct f.original_transaction_id, f.bundle_id, f.environment from forgotten_payments f) f
    where t.original_transaction_id = f.original_transaction_id and t.bundle_id = f.bundle_id and t.environment = f.environment;
    update counterfoil.changes c
    set details = counterfoil.json_without_accounts(c.details, accounts, new_name)
    from forgotten_payments f
    where c.transaction_id = f.transaction_id and c.details is not null
        and exists (select from unnest(accounts) a (name) where position(to_json(a.name)::text in c.details::text) > 0);
    -- Moves and transfers: everybody's are looked at, and the account's are changed.
    update counterfoil.changes c
    set details = counterfoil.json_without_accounts(c.details, accounts, new_name)
    where c.transaction_id is null and c.details is not null
        and exists (select from unnest(accounts) a (name) where position(to_json(a.name)::text in c.details::text) > 0);

    -- What is another's now, or nobody's: as after any change of an owner, in the settlement's order of locks.
    insert into counterfoil.originals (original_transaction_id, bundle_id, environment)
    select distinct f.original_transaction_id, f.bundle_id, f.environment from forgotten_payments f where f.is_period order by 1, 2, 3
    on conflict on constraint one_lock_an_original do update set environment = excluded.environment where false;
    perform counterfoil.tell_payments(array_agg(t.bundle_id), array_agg(t.environment), array_agg(t.transaction_id))
    from (
        select t.transaction_id, t.bundle_id, t.environment
        from forgotten_payments f
        join counterfoil.told_payments t
            on t.transaction_id = f.transaction_id and t.bundle_id = f.bundle_id and t.environment = f.environment
        where f.is_period and t.name in ('unclaimed', 'renewal')
        order by t.transaction_id
    ) t
    having count(*) > 0;
    perform counterfoil.tell_subscriptions(
        array_agg(f.original_transaction_id), array_agg(f.bundle_id), array_agg(f.environment), array_agg(f.transaction_id))
    from forgotten_payments f
    where f.is_period;

    foreach account in array accounts loop
        insert into counterfoil.changes (kind, details)
        values ('account_forgotten', jsonb_build_object('account_id', account, 'pseudonym', new_name));
    end loop;
    update counterfoil.erasures e set database_transaction = null where e.pseudonym = new_name;
    drop table forgotten_payments, forgotten_tokens;
    return next;
end
$$;
comment on function counterfoil.forget_account(text, text, text) is
    'Private: forgets an account, with those that were moved to it.';
grant execute on function counterfoil.forget_account(text, text, text) to counterfoil_support;
