-- The status of a transaction that a client still holds unfinished. Look it up by bundle_id and transaction_id.

create or replace view counterfoil.transaction_status as
select
    s.bundle_id,
    s.environment,
    s.transaction_id,
    s.status,
    case when s.is_refunded then 'refunded' when s.paid_order_number is null then s.reason end as reason,
    s.paid_order_id as order_id,
    case when s.paid_order_number is not null then s.paid_account_id when not s.is_refunded then s.account_id end as account_id,
    s.client_action,
    s.product_id,
    s.quantity
from counterfoil.payment_answers s;
comment on view counterfoil.transaction_status is
    'What became of a transaction: granted to which order, unclaimed and why, or revoked; and what the client should do.';

alter view counterfoil.transaction_status owner to counterfoil_owner;
grant select on counterfoil.transaction_status to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
