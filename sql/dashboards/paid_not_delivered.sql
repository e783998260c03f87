-- Verified payments that nothing was granted for, the latest thousand. Renewals are left out, because nobody orders them,
-- and so are payments of before the ledger began, which another system may have delivered.

create or replace view counterfoil.paid_not_delivered as
select
    u.bundle_id, u.environment, u.transaction_id, u.product_id, u.quantity, u.purchased_at, u.reason, u.seen_at as first_seen_at,
    u.account_id, o.order_id, o.product_id as ordered_product_id, o.state as order_state, o.reason as order_reason
from (
    select * from counterfoil.payment_states s
    -- The index's own condition.
    where s.reason not in ('renewal', 'restored', 'refunded', 'before_ledger') and s.state = 'unclaimed'
    order by s.seen_at desc
    limit 1000
) u
-- Only a refund, which was reversed, showed those without one.
left join counterfoil.orders o on o.number = u.shown_by_number;
comment on view counterfoil.paid_not_delivered is
    'Payments that were verified and not granted: why, and the order and account that showed them; the latest thousand.';

alter view counterfoil.paid_not_delivered owner to counterfoil_owner;
grant select on counterfoil.paid_not_delivered to counterfoil_worker, counterfoil_support, counterfoil_reader;
