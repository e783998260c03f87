-- Brings payments that no client showed to the orders that their tokens name (orders_for_payment): as a proof, like a client's
-- upload. An order's event says why it was this order. A renewal's token names its account and no order: it pays for an order that
-- shows it, or waits for it. A period that nothing confirms is brought too: the attempt asks Apple. So is what a stranger showed:
-- that takes nothing away. So is what was refunded before its open order was granted it: the order ends as after a grant. Whether a
-- fact stands against the grant, the attempt finds out.
--
-- The newest word lifts a review: an order that showed the payment, and waits for a person because of what Apple said then, or
-- didn't say, is judged again by itself. Only an order whose account showed the payment by a proof is: a bare id shows nothing.
-- If two accounts did, a person decides.
--
-- What Apple answered when it was asked has no notification. A notification is looked at again a minute later where another payment
-- of this statement goes to the order, since another order may be this one's; and ten minutes later while the order has no room
-- (prepare_job).
--
-- Parameters, an element a payment: $1, $2, $3, $4, $5.
with found as materialized (
    select
        e.*, f.order_id, f.why,
        coalesce('notification ' || n.notification_uuid, 'an answer about its subscription') as found_by,
        row_number() over (partition by f.order_id order by e.transaction_id, e.notification_id) as place, f.was_shown,
        p.is_there, p.jobs < 20 and p.bytes + octet_length(e.proof) <= 32 * 1048576 as has_room
    from unnest(
        $1::bigint[], -- notification_id, or null
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
    left join lateral (
        select t.account_id from counterfoil.account_of_token(e.bundle_id, k.app_account_token) t
        where k.app_account_token is not null
        offset 0
    ) c on true
    cross join lateral (
        (
            select w.order_id, w.rank, w.why, false as was_shown
            from counterfoil.orders_for_payment(
                e.bundle_id, k.product_id, k.product_kind, k.quantity, k.app_account_token, coalesce(k.paid_at, k.purchased_at),
                c.account_id, null, null) w
            where c.account_id is not null
        )
        union all
        (
            select r.order_id, 4, 'it showed it, and Apple''s word since may lift its review', true
            from (select a.order_number from counterfoil.answered_orders a where a.transaction_id = k.transaction_id offset 0) a
            cross join lateral (
                select o.* from counterfoil.orders o where o.number = any (array[a.order_number]) offset 0
            ) r
            where r.state = 'review' and r.transaction_id = k.transaction_id and r.bundle_id = e.bundle_id
                and coalesce(r.environment, e.environment) = e.environment and r.product_id = k.product_id
                and r.reason in (
                    'partly_refunded', 'refund_reversed', 'bought_again_after_revocation', 'subscription_unconfirmed',
                    'token_missing', 'unknown_product', 'product_kind_mismatch'
                )
                and (select true from counterfoil.payments p where p.order_number = any (array[r.number])) is null
                and (
                    (k.shown_by_number, k.account_id) = (r.number, r.account_id)
                    or (
                        select true from counterfoil.attempts t
                        where t.order_number = r.number and t.transaction_id = k.transaction_id
                            and t.proof_kind in ('signed_transaction', 'app_receipt')
                        limit 1
                    )
                ) is true
                -- Two accounts showed it: a person decides.
                and not exists (
                    select
                    from counterfoil.answered_orders b
                    join counterfoil.orders y on y.number = b.order_number
                    where b.transaction_id = k.transaction_id and y.transaction_id = k.transaction_id
                        and y.bundle_id = e.bundle_id
                        and (select n.account_id from counterfoil.account_now(y.account_id, y.number) n)
                            <> (select n.account_id from counterfoil.account_now(r.account_id, r.number) n)
                )
            order by r.created_at, r.order_id
            limit 1
        )
        order by rank
        limit 1
    ) f
    join counterfoil.order_facts o on o.order_id = any (array[f.order_id])
    -- Asked last: of most payments no order is known.
    cross join lateral (
        select s.state from counterfoil.payment_states s
        where f.order_id is not null and s.transaction_id = e.transaction_id and s.bundle_id = e.bundle_id
            and s.environment = e.environment
        offset 0
    ) s
    left join counterfoil.notifications n on n.id = any (array[e.notification_id])
    cross join lateral (
        select
            count(*) as jobs, coalesce(sum(octet_length(j.proof)), 0) as bytes,
            count(*) filter (where j.transaction_id = e.transaction_id and j.found_by is not null) > 0 as is_there
        from counterfoil.jobs j
        where j.order_number = any (array[o.order_number]) and j.kind = 'verify' and j.state <> 'discarded'
    ) p
    -- By Apple's word: its token is that of the purchase, whether or not that is known yet.
    where k.purchase_reason is distinct from 'renewal'
        and (
            k.reason in ('no_order', 'subscription_unconfirmed', 'owner_mismatch') and s.state = 'unclaimed'
            or f.rank = 1 and (
                s.state = 'renewal'
                or k.reason in ('refunded', 'partly_refunded') and s.state in ('taken_back', 'unclaimed')
                and o.order_state in ('open', 'rejected')
            )
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
    select
        u.order_id, case when f.was_shown then 'judged_again' else 'found' end, 'Apple',
        format('%s showed transaction %s: %s', f.found_by, f.transaction_id, f.why)
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
where not f.is_there and (f.place > 1 or not f.has_room) and f.notification_id is not null
on conflict do nothing
