-- Private: an order with what its app's operator decided, as an attempt needs it.

create or replace view counterfoil.order_facts as
select
    o.order_id,
    o.bundle_id,
    o.product_id,
    o.account_id,
    o.quantity,
    o.app_account_token,
    -- An order of the future was made while the server's clock was ahead: nobody knows whether it came before its purchase.
    o.recovery or o.created_at > now() as recovery,
    o.created_at as ordered_at,
    o.state as order_state,
    o.transaction_id as order_transaction_id,
    -- The grant's own attempt isn't one that read a repetition of it.
    nullif(o.last_attempt_at, o.fulfilled_at) as last_attempt_at,
    p.kind as product_kind,
    o.number as order_number,
    coalesce(a.sandbox_open_until > now(), false)
        or case a.sandbox_policy
            when 'allow' then true
            when 'listed' then exists (
                select
                from counterfoil.account_now(o.account_id, o.number) n
                cross join lateral counterfoil.accounts_of(n.account_id) k
                join counterfoil.sandbox_accounts s on s.bundle_id = o.bundle_id and s.account_id = k.account_id
            )
            else false
        end as allows_sandbox,
    a.absent_token_policy,
    extract(epoch from a.purchase_time_tolerance)::double precision as purchase_time_tolerance,
    a.ledger_starts_at,
    a.receipt_route,
    extract(epoch from a.confirm_after)::double precision as confirm_after,
    a.finish_transactions,
    a.policy_number
from counterfoil.orders o
join counterfoil.apps a on a.bundle_id = o.bundle_id
left join counterfoil.products p on p.bundle_id = o.bundle_id and p.product_id = o.product_id;
comment on view counterfoil.order_facts is 'Private: what an attempt must know of its order.';

alter view counterfoil.order_facts owner to counterfoil_owner;
grant select on counterfoil.order_facts to counterfoil_worker, counterfoil_support;
