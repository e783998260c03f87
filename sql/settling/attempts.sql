-- Every finished attempt: those that were plain grants stand in the payments' rows, as they were written by grant_first_payments,
-- and the others in other_attempts.
--
-- Old rows of other_attempts leave by the month (drop_old_attempts). A plain grant's stays with the grant.
--
-- Look it up by order_id or, from an order's row, by order_number.
--
-- The condition stands outside: a part with a condition of its own would be read whole wherever the view is joined.

create or replace view counterfoil.attempts as
select
    u.job_id, o.order_id, u.lease_token, u.attempt, u.disposition, u.reason, u.message, u.proof_kind, u.environment,
    u.transaction_id, u.worker_id, u.submitted_at, u.claimed_at, u.finished_at, u.shown_transaction_ids,
    u.order_number
from (
    select
        a.job_id, a.order_number, a.lease_token, a.attempt, a.disposition, a.reason, a.message, a.proof_kind, a.environment,
        a.transaction_id, a.worker_id, a.submitted_at, a.claimed_at, a.finished_at, a.shown_transaction_ids
    from counterfoil.other_attempts a
    union all
    select
        p.job_id, p.order_number, p.lease_token, p.attempt, 'complete', null, null, p.proof_kind, p.environment,
        p.transaction_id, p.worker_id, p.submitted_at, p.claimed_at, p.granted_at, null
    from counterfoil.payments p
) u
left join counterfoil.orders o on o.number = u.order_number
where u.lease_token is not null;
comment on view counterfoil.attempts is 'Every finished attempt: those that were plain grants, and the others.';
grant select on counterfoil.attempts to counterfoil_worker, counterfoil_support;
