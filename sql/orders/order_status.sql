-- The public view that backends poll: by order_id two index look-ups and the gates of the pending jobs; of a fulfilled order also
-- its payment and those of its refunds.

create or replace view counterfoil.order_status as
select
    o.order_id,
    v.account_id,
    o.state,
    -- While an order is open, the reason is what its pending job waits for.
    case when o.state = 'open' then nullif(p.reason, '') else o.reason end as reason,
    case
        when o.state = 'rejected' and o.reason in ('malformed_proof', 'not_a_purchase') and p.reason is null
            and counterfoil.uploads_are_unreadable(o.order_id, o.attempts, o.last_attempt_at)
            then 'contact_support'
        when y.is_granted then 'finish'
        when y.is_granted is false then 'order_again'
        else counterfoil.client_action(o.state, o.reason, p.reason)
    end as client_action,
    coalesce(o.transaction_id, case when y.is_granted then y.transaction_id end) as transaction_id,
    o.environment,
    o.attempts,
    p.next_attempt_at,
    o.fulfilled_at,
    o.updated_at,
    -- In percent: 100 where the order is refunded.
    coalesce(trim_scale(g.refunded_share / 1000.0), case when o.state = 'refunded' then 100 end) as refunded_share,
    o.bundle_id,
    -- What was granted, as Apple signed it: the quantity is the one that was paid.
    g.product_id,
    g.quantity,
    g.purchased_at,
    g.expires_at,
    g.refunded_at,
    o.version,
    -- The latest upload that is pending; submit answers the one of its own proof.
    p.job_id,
    -- What to order, so that the payment named pays for it.
    case when y.is_granted is false then y.product_id end as order_again_product_id,
    case when y.is_granted is false then y.quantity end as order_again_quantity,
    case when y.is_granted is false then y.transaction_id end as order_again_transaction_id,
    o.app_account_token
from counterfoil.orders o
-- account_now, written out.
left join lateral (
    select coalesce((select m.account_now from counterfoil.moved_accounts m where m.account_id = a.account_id), a.account_id) as account_id
    from (
        select coalesce(
            (select t.account_id from counterfoil.moved_orders t where t.order_number = o.number), o.account_id) as account_id
    ) a
) v on true
left join lateral (
    -- One row when anything is pending. A job that lacks its purchase speaks for the order only when no other job waits.
    select
        case
            when bool_and(w.waits_for = 'purchase_not_in_receipt') then 'purchase_not_in_receipt'
            else coalesce(max(w.waits_for) filter (where w.waits_for <> 'purchase_not_in_receipt'), '')
        end as reason,
        min(w.run_at) as next_attempt_at,
        max(w.id) as job_id
    from (
        select
            j.id, j.run_at,
            coalesce(
                case
                    when j.state = 'running' or g.state = 'open' then j.reason
                    when g.closed_by = 'configuration' then 'configuration'
                    when g.closed_by = 'operator' then 'closed_by_operator'
                    when g.closed_by = 'budget' then 'rate_limited'
                    else 'app_store_unavailable'
                end,
                ''
            ) as waits_for
        from counterfoil.jobs j
        left join counterfoil.gates g on g.lane = j.lane
        where j.order_number = o.number and j.state <> 'discarded' and j.kind = 'verify'
    ) w
    having count(*) > 0
) p on true
left join lateral (
    select
        s.product_id, s.quantity, s.purchased_at, s.refunded_share, s.refunded_at,
        -- By what is known now: Apple may have extended the period, or replaced it by another plan's.
        case
            when s.product_kind = 'auto_renewable' then counterfoil.end_of_period(
                s.bundle_id, s.environment, s.original_transaction_id, s.transaction_id, s.product_id, s.purchased_at, s.expires_at)
            else s.expires_at
        end as expires_at
    from counterfoil.payment_states s
    where s.order_number = o.number and o.state in ('fulfilled', 'refunded')
    offset 0
) g on true
left join lateral (
    select e.transaction_id, e.product_id, e.quantity, e.is_granted
    from counterfoil.payment_elsewhere(o) e
    where o.state in ('review', 'cancelled') and p.reason is null
    offset 0
) y on true;
comment on view counterfoil.order_status is
    'Where an order is, why, and what the client should do next. Poll it by order_id.';

alter view counterfoil.order_status owner to counterfoil_owner;
grant select on counterfoil.order_status to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
