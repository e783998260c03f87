-- Orders of the past with their states: 92 of 100 fulfilled, the others rejected, refunded, open and, one of 1000, in review. And
-- what the feed was told of those that the check of it looks at.
--
-- $1 int8  first number      $3 int8  all of them
-- $2 int8  last number       $4 int4  days over which they are spread
with past as (
    insert into counterfoil.orders (
        order_id, bundle_id, product_id, account_id, state, reason, transaction_id, environment, attempts, last_attempt_at,
        created_at, updated_at, fulfilled_at, version
    )
    select
        'past-' || lpad(p.n::text, 10, '0'), 'com.example.bench' || 1 + p.n % 4, 'product.' || p.n % 50,
        'account-' || p.n * 7919 % ($3::bigint / 4 + 1), p.state,
        case p.state when 'rejected' then 'already_granted' when 'review' then 'owner_mismatch' when 'refunded' then 'refunded' end,
        case when p.state in ('fulfilled', 'refunded', 'review') then '1' || lpad(p.n::text, 14, '0') end,
        case when p.state in ('fulfilled', 'refunded', 'review') then 'production' end,
        case when p.state = 'open' then 0 else 5 end, case when p.state <> 'open' then p.ordered_at + interval '3 seconds' end,
        p.ordered_at, p.ordered_at + interval '3 seconds',
        case when p.state in ('fulfilled', 'refunded') then p.ordered_at + interval '3 seconds' end,
        case p.state when 'open' then 0 when 'refunded' then 2 else 1 end
    from (
        select
            n,
            case
                when n % 100 < 92 then 'fulfilled'
                when n % 100 < 95 then 'rejected'
                when n % 1000 = 995 then 'review'
                when n % 100 = 96 then 'refunded'
                else 'open'
            end as state,
            now() - interval '1 minute' - make_interval(days => $4::integer) * (1 - n::double precision / $3::bigint) as ordered_at
        from generate_series($1::bigint, $2::bigint) as n
    ) p
    returning number, state, version, updated_at
)
insert into counterfoil.changes (kind, orders, versions, at)
select
    case
        when p.state = 'review' then 'order_in_review'
        when v.version < p.version then 'order_fulfilled'
        else 'order_' || p.state
    end,
    array[p.number], array[v.version], p.updated_at
from past p
cross join lateral generate_series(1, p.version) as v (version)
where p.updated_at > now() - interval '8 days'
