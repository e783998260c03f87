-- All that is known to have happened to an order, from its making to its grant and beyond. Look it up by order_id and
-- order it by at.

create or replace view counterfoil.order_story as
select o.order_id, o.created_at as at, 'ordered' as event, o.account_id as who, null as reason,
    format('%s of %s', o.quantity, o.product_id) as detail
from counterfoil.orders o
union all
select o.order_id, j.created_at, 'uploaded', j.account_id, j.reason,
    format('job %s, %s, %s bytes', j.id, j.state, octet_length(j.proof))
from counterfoil.jobs j
join counterfoil.orders o on o.number = j.order_number
where j.kind = 'verify'
union all
select
    a.order_id, min(a.submitted_at), 'uploaded', null, null,
    concat_ws(
        ', ', format('job %s, over', a.job_id),
        (
            select concat_ws(
                ', ', format('%s bytes are kept', octet_length(k.proof)),
                -- Shows a mistake of the client's. A proof's own letters are shown to nobody.
                case when left(k.proof, 8) !~ '^[A-Za-z0-9+/=_.-]{8}' then 'beginning with ' || left(k.proof, 8) end)
            from counterfoil.proofs k
            where k.job_id = a.job_id
        )
    )
from counterfoil.attempts a
-- Follow-ups have no proof. What can't be read has no kind.
where (
        a.proof_kind is not null or a.reason in ('malformed_proof', 'not_a_purchase', 'proof_too_large')
        or exists (select from counterfoil.proofs k where k.job_id = a.job_id)
    )
    and not exists (select from counterfoil.jobs j where j.id = a.job_id)
group by a.order_id, a.job_id
union all
select
    a.order_id, a.finished_at,
    -- It changed nothing but what the ledger knows of a refund. Idiom: offset 0.
    case
        when t.outcome = 'unchanged'
            and exists (
                select
                from counterfoil.payments g
                join counterfoil.revocations r
                    on r.original_transaction_id = g.original_transaction_id and r.bundle_id = g.bundle_id
                    and r.environment = g.environment
                where g.order_number = a.order_number and r.recorded_at = a.finished_at
                offset 0
            )
            then 'refund_recorded'
        else t.outcome
    end,
    -- By its number alone once its row is gone.
    concat('worker ', a.worker_id, ' (' || w.name || coalesce(' on ' || nullif(w.host, w.name), '') || ')'), a.reason,
    concat_ws(
        ', ', format('attempt %s of job %s', a.attempt, a.job_id),
        format('took %s s', round(extract(epoch from a.finished_at - a.claimed_at), 3)), a.proof_kind, a.environment,
        'transaction ' || a.transaction_id, a.message
    )
from counterfoil.attempts a
cross join lateral (select counterfoil.attempt_outcome(a.disposition, a.reason, a.transaction_id) as outcome) t
left join counterfoil.workers w on w.id = a.worker_id
union all
select
    o.order_id, g.granted_at, 'granted', null, null,
    format('%s of %s for transaction %s of %s', g.quantity, g.product_id, g.transaction_id, g.environment)
from counterfoil.payments g
join counterfoil.orders o on o.number = g.order_number
union all
select
    o.order_id, r.recorded_at, r.kind, null, null,
    concat_ws(
        ', ', format('of transaction %s at %s', r.transaction_id, r.occurred_at),
        case
            when r.kind = 'reversal' or r.share = 100000 then null
            when r.share is null then 'Apple leaves open how much'
            else format('%s %% of the payment', trim_scale(r.share / 1000.0))
        end,
        nullif(r.seats, 0) || ' seats', r.revocation_type
    )
from counterfoil.payments g
join counterfoil.orders o on o.number = g.order_number
-- Of any of its names, also those that were reversed.
join counterfoil.revocations r
    on r.original_transaction_id = g.original_transaction_id and r.bundle_id = g.bundle_id and r.environment = g.environment
    and (
        r.transaction_id = g.transaction_id
        or counterfoil.is_one_payment(
            g.bundle_id, g.environment, g.original_transaction_id, g.product_kind, g.web_order_line_item_id, g.purchased_at,
            (
                select p.product_kind from counterfoil.payments p
                where p.transaction_id = r.transaction_id and p.bundle_id = g.bundle_id and p.environment = g.environment
            ),
            r.web_order_line_item_id, coalesce(r.purchased_at, r.occurred_at))
    )
union all
select
    o.order_id, s.seen_at, 'unclaimed', s.account_id, s.reason,
    format('transaction %s, %s of %s', s.transaction_id, s.quantity, s.product_id)
from counterfoil.payment_states s
join counterfoil.orders o on o.number = s.shown_by_number
where s.reason is not null and s.state in ('unclaimed', 'renewal')
union all
select
    o.order_id, n.received_at, 'notified', 'Apple', null,
    concat_ws(', ', concat_ws(' ', n.type, n.subtype), 'signed at ' || n.signed_at, 'notification ' || n.notification_uuid, n.message)
from counterfoil.payments g
join counterfoil.orders o on o.number = g.order_number
join counterfoil.notifications n
    on n.transaction_id = g.transaction_id and n.bundle_id = g.bundle_id and n.environment = g.environment
where n.outcome is not null
union all
select o.order_id, m.moved_at, 'transferred', m.who, null, format('from account %s to %s: %s', m.from_account, m.to_account, m.why)
from counterfoil.moves m
join counterfoil.orders o on o.number = m.order_number
union all
select
    o.order_id, a.answered_at, case when a.state = 'declined' then 'question_declined' else 'question_answered' end, a.who, null,
    concat_ws(
        ', ', 'notification ' || n.notification_uuid, a.delivery_status, trim_scale(a.consumed_share / 1000.0) || ' % consumed',
        a.refund_preference, nullif(a.state, 'declined'), a.error) || ': ' || a.why
from counterfoil.payments g
join counterfoil.orders o on o.number = g.order_number
join counterfoil.consumption_requests c
    on c.transaction_id = g.transaction_id and c.bundle_id = g.bundle_id and c.environment = g.environment
join counterfoil.consumption_answers a on a.notification_id = c.notification_id
join counterfoil.notifications n on n.id = c.notification_id
union all
select e.order_id, e.occurred_at, e.kind, e.who, null, e.why
from counterfoil.order_events e;
comment on view counterfoil.order_story is
    'One order''s whole story: ordered, uploaded, each attempt, granted, taken back, what Apple told, and what was done by hand. '
    'Look it up by order_id.';

alter view counterfoil.order_story owner to counterfoil_owner;
grant select on counterfoil.order_story to counterfoil_worker, counterfoil_support, counterfoil_reader;
