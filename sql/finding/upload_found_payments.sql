-- Brings payments that no client showed to the orders that their tokens name (orders_for_payment): as a proof, like a client's
-- upload. An order's event says why it was this order. A renewal's token names its account and no order: it pays for an order that
-- shows it, or waits for it. A period that nothing confirms is brought too: the attempt asks Apple. So is what a stranger showed:
-- that takes nothing away. Whether a fact stands against the grant, the attempt finds out.
--
-- The notification is looked at again a minute later where another payment of this statement goes to the order, since another order
-- may be this one's; and ten minutes later while the order has no room (prepare_job).
--
-- Parameters, an element a payment: $1, $2, $3, $4, $5.
with found as materialized (
    select
        e.*, f.order_id, f.why, 'notification ' || n.notification_uuid as found_by,
        row_number() over (partition by f.order_id order by e.transaction_id, e.notification_id) as place,
        p.is_there, p.jobs < 20 and p.bytes + octet_length(e.proof) <= 32 * 1048576 as has_room
    from unnest(
        $1::bigint[], -- notification_id
        $2::text[], -- bundle_id
        $3::text[], -- environment
        $4::text[], -- transaction_id
        $5::text[] -- proof: the transaction as Apple signed it
    ) as e (notification_id, bundle_id, environment, transaction_id, proof)
    -- Looked up by its id, and not among all that aren't granted.
    cross join lateral (
        select p.* from counterfoil.payments p
        where p.transaction_id = e.transaction_id and p.bundle_id = e.bundle_id and p.environment = e.environment
        offset 0
    ) k
    -- The account that the token speaks for.
    cross join lateral (
        select t.account_id from counterfoil.account_of_token(e.bundle_id, k.app_account_token) t
        where k.app_account_token is not null
        offset 0
    ) c
    cross join lateral counterfoil.orders_for_payment(
        e.bundle_id, k.product_id, k.product_kind, k.quantity, k.app_account_token, coalesce(k.paid_at, k.purchased_at),
        c.account_id, null, null) f
    join counterfoil.order_facts o on o.order_id = any (array[f.order_id])
    -- Asked last: of most payments no order is known.
    cross join lateral (
        select s.state from counterfoil.payment_states s
        where f.order_id is not null and s.transaction_id = e.transaction_id and s.bundle_id = e.bundle_id
            and s.environment = e.environment
        offset 0
    ) s
    join counterfoil.notifications n on n.id = any (array[e.notification_id])
    cross join lateral (
        select
            count(*) as jobs, coalesce(sum(octet_length(j.proof)), 0) as bytes,
            count(*) filter (where j.transaction_id = e.transaction_id and j.found_by is not null) > 0 as is_there
        from counterfoil.jobs j
        where j.order_id = any (array[f.order_id]) and j.kind = 'verify' and j.state <> 'discarded'
    ) p
    -- By Apple's word: its token is that of the purchase, whether or not that is known yet.
    where k.purchase_reason is distinct from 'renewal'
        and (
            k.reason in ('no_order', 'subscription_unconfirmed', 'owner_mismatch') and s.state = 'unclaimed'
            or f.rank = 1 and s.state = 'renewal'
        )
        and (e.environment = 'production' or o.allows_sandbox)
), uploaded as (
    insert into counterfoil.jobs (order_id, proof, transaction_id, found_by)
    select f.order_id, f.proof, f.transaction_id, f.found_by
    from found f
    where f.place = 1 and f.has_room and not f.is_there
    returning order_id, transaction_id
), told as (
    insert into counterfoil.order_events (order_id, kind, who, why)
    select u.order_id, 'found', 'Apple', format('%s showed transaction %s: %s', f.found_by, f.transaction_id, f.why)
    from uploaded u
    join found f on f.order_id = u.order_id and f.transaction_id = u.transaction_id and f.place = 1
), noted as (
    update counterfoil.notifications n
    set order_id = u.order_id
    from uploaded u
    join found f on f.order_id = u.order_id and f.transaction_id = u.transaction_id
    where n.id = any (array[f.notification_id])
)
insert into counterfoil.jobs (kind, notification_id, lane, priority, run_at)
select
    'notification', f.notification_id, g.lane, 3,
    now() + case when f.has_room then interval '1 minute' else interval '10 minutes' end
from found f
join counterfoil.gates g on g.bundle_id = f.bundle_id and g.route = 'local'
where not f.is_there and (f.place > 1 or not f.has_room)
on conflict do nothing
