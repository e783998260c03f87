-- Verified payments that nothing was granted for and that weren't taken back, each with the reason. Only a refund showed those
-- without an order, before it was reversed.

create or replace view counterfoil.unclaimed_transactions as
select
    s.bundle_id, s.environment, s.transaction_id, s.original_transaction_id, s.web_order_line_item_id, s.product_id,
    s.product_kind, s.quantity, s.purchased_at, s.expires_at, s.app_account_token, s.reason, o.order_id, s.account_id,
    s.seen_at as first_seen_at
from counterfoil.payment_states s
left join counterfoil.orders o on o.number = s.shown_by_number
where s.reason is not null and s.state in ('unclaimed', 'renewal');
comment on view counterfoil.unclaimed_transactions is
    'Every verified, paid, unrevoked transaction that was not granted, with the reason. It leaves when it is granted.';

alter view counterfoil.unclaimed_transactions owner to counterfoil_owner;
grant select on counterfoil.unclaimed_transactions to counterfoil_worker, counterfoil_support, counterfoil_reader;
