-- The status of a transaction that a client still holds unfinished. Look it up by bundle_id and transaction_id.

create or replace view counterfoil.transaction_status as
select
    s.bundle_id,
    s.environment,
    s.transaction_id,
    case
        when s.is_refunded then 'revoked'
        when s.paid_order_id is not null then 'granted'
        else 'unclaimed'
    end as status,
    case when s.is_refunded then 'refunded' when s.paid_order_id is null then s.reason end as reason,
    s.paid_order_id as order_id,
    case when s.paid_order_id is not null then s.paid_account_id when not s.is_refunded then s.account_id end as account_id,
    case
        when s.state <> 'unclaimed' then 'finish'
        -- Only Apple told of it: no client has shown it yet.
        when s.account_id is null then 'upload_proof'
        when counterfoil.can_be_ordered_again(s.transaction_id, s.bundle_id, s.environment) then 'order_again'
        else 'contact_support'
    end as client_action,
    s.product_id,
    s.quantity
from counterfoil.payment_states s;
comment on view counterfoil.transaction_status is
    'What became of a transaction: granted to which order, unclaimed and why, or revoked; and what the client should do.';

alter view counterfoil.transaction_status owner to counterfoil_owner;
grant select on counterfoil.transaction_status to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
