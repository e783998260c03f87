-- Why orders are in review, for people: by app, reason, product and the version of the app that made the proof, which only
-- receipts name; those that came last first. `rising`: of the last hour more than of an average hour of the day before, and at
-- least five. It looks at the 3000 orders that went to review last: where it reached these, `is_cut` is true, and counts are of
-- these.

create or replace function counterfoil.review_causes(of_bundle text)
returns table (
    reason text, product_id text, bundle_id text, app_version text, orders bigint, customers bigint, last_hour bigint, rising boolean,
    first_seen timestamptz, last_seen timestamptz, is_cut boolean
)
language plpgsql stable security definer rows 50 set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
#variable_conflict use_column
begin
    return query
    with listed as materialized (
        select r.order_id, r.since, r.app_version from counterfoil.orders_in_review r order by r.since desc limit 3000
    ), reviews as materialized (
        select o.reason, o.product_id, o.bundle_id, w.app_version, o.account_id, w.since
        from listed w
        cross join lateral (select * from counterfoil.orders o where o.order_id = w.order_id offset 0) o
        where o.state = 'review'
        union all
        -- roll_up lists an order within a minute.
        select
            n.reason, n.product_id, n.bundle_id,
            (
                select t.app_version from counterfoil.other_attempts t
                where t.order_number = n.number and t.app_version is not null
                order by t.finished_at desc
                limit 1
            ),
            n.account_id, n.updated_at
        from (select * from counterfoil.orders n order by n.number desc limit 2000) n
        where n.state = 'review' and not exists (select from counterfoil.orders_in_review r where r.order_id = n.order_id)
    )
    select
        w.reason, w.product_id, w.bundle_id, w.app_version, count(*), count(distinct w.account_id),
        count(*) filter (where w.since > now() - interval '1 hour'),
        count(*) filter (where w.since > now() - interval '1 hour') >= 5
            and count(*) filter (where w.since > now() - interval '1 hour')
                > count(*) filter (where w.since between now() - interval '25 hours' and now() - interval '1 hour') / 24.0,
        min(w.since), max(w.since), (select count(*) from listed) = 3000
    from reviews w
    where of_bundle is null or w.bundle_id = of_bundle
    group by w.reason, w.product_id, w.bundle_id, w.app_version
    order by max(w.since) desc, w.reason, w.product_id, w.app_version;
end
$$;
comment on function counterfoil.review_causes(text) is 'Private: why orders are in review, by app, reason, product and version.';
grant execute on function counterfoil.review_causes(text) to counterfoil_worker, counterfoil_support, counterfoil_reader;
