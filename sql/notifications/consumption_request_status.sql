-- What Apple asks the shop about refunds that customers want: each question with its payment, and until when Apple takes an answer.
-- Look it up by transaction_id, or the open ones by closed_at is null and deadline > now().

create or replace view counterfoil.consumption_request_status as
select
    c.bundle_id, c.environment, c.transaction_id, n.notification_uuid,
    -- In Apple's words, of the customer.
    c.reason,
    c.requested_at, c.deadline, c.closed_at,
    s.original_transaction_id, s.product_id, s.quantity,
    coalesce(s.paid_account_id, s.account_id) as account_id,
    -- The order that was granted it: what was delivered. Null: nothing was.
    (select o.order_id from counterfoil.orders o where o.number = s.paid_order_number) as order_id,
    -- What the shop decided: waiting, sent, refused, late, declined (consumption_answers). Null: nothing yet.
    d.state as decision, d.answered_at as decided_at, d.error as decision_error
from counterfoil.consumption_requests c
join counterfoil.notifications n on n.id = c.notification_id
left join lateral (
    select
        p.original_transaction_id, p.product_id, p.quantity, p.account_id, p.paid_account_id, p.paid_order_number
    from counterfoil.payment_states p
    where p.transaction_id = c.transaction_id and p.bundle_id = c.bundle_id and p.environment = c.environment
    offset 0
) s on true
-- The last one: where Apple refused it another may follow.
left join lateral (
    select a.state, a.answered_at, a.error
    from counterfoil.consumption_answers a
    where a.notification_id = c.notification_id
    order by a.id desc
    limit 1
) d on true;
comment on view counterfoil.consumption_request_status is
    'What Apple asks the shop about refunds that customers want, with the payment and the deadline.';

alter view counterfoil.consumption_request_status owner to counterfoil_owner;
grant select on counterfoil.consumption_request_status
    to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
