-- The grants: which payment paid for which order.

create or replace view counterfoil.grants as
select
    o.order_id, p.bundle_id, p.environment, coalesce(p.payment_key, 'transaction:' || p.transaction_id) as grant_key,
    p.transaction_id, p.original_transaction_id, p.web_order_line_item_id, p.product_id, p.product_kind, p.quantity,
    p.purchased_at, p.expires_at, p.app_account_token, v.account_id, p.job_id, p.granted_at
from counterfoil.payments p
join counterfoil.orders o on o.number = p.order_number
-- account_now, written out.
left join lateral (
    select coalesce((select m.account_now from counterfoil.moved_accounts m where m.account_id = a.account_id), a.account_id) as account_id
    from (
        select coalesce(
            (select t.account_id from counterfoil.moved_orders t where t.order_number = p.order_number), p.account_id) as account_id
    ) a
) v on true
where p.order_number is not null;
comment on view counterfoil.grants is
    'The grants: which verified transaction paid for which order. The facts are Apple''s; a grant never changes.';

alter view counterfoil.grants owner to counterfoil_owner;
grant select on counterfoil.grants to counterfoil_worker, counterfoil_support, counterfoil_reader;
