-- Private: the payments with the ids of their orders, for people and whoever asks seldom. Look it up by order_id, transaction_id or
-- original_transaction_id. An id that isn't named costs nothing: its look-up is left out.
--
-- shown_by: the order that showed the payment first, or the one that it paid for.

create or replace view counterfoil.ledger as
select
    p.transaction_id, p.bundle_id, p.environment, p.original_transaction_id, p.payment_key, p.web_order_line_item_id,
    p.additional_reason, p.purchase_reason, p.product_id, p.product_kind, p.quantity, p.purchased_at, p.paid_at,
    p.is_advanced_commerce, p.expires_at, p.app_account_token, p.account_id, s.order_id as shown_by, p.seen_at, p.reason,
    p.fits_under, o.order_id, p.granted_at, p.job_id, p.attempt, p.lease_token, p.worker_id, p.submitted_at, p.claimed_at,
    p.proof_kind, p.price_milliunits, p.currency, p.customer_id, p.order_number, p.shown_by_number, p.terms
from counterfoil.payments p
left join counterfoil.orders o on o.number = p.order_number
left join counterfoil.orders s on s.number = coalesce(p.shown_by_number, p.order_number);
comment on view counterfoil.ledger is 'Private: every verified transaction, and the order that it paid for, by its id.';

alter view counterfoil.ledger owner to counterfoil_owner;
grant select on counterfoil.ledger to counterfoil_worker, counterfoil_support;
