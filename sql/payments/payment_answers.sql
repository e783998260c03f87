-- Private: what a payment means to a client, the one place that says so: payment_states, with the order that it
-- paid for, its status, and what the client does. Look it up as that. A view that doesn't name client_action, and a payment that
-- isn't unclaimed, cost what payment_states does.

create or replace view counterfoil.payment_answers as
select
    s.*,
    (select o.order_id from counterfoil.orders o where o.number = s.paid_order_number) as paid_order_id,
    case when s.is_refunded then 'revoked' when s.paid_order_number is not null then 'granted' else 'unclaimed' end as status,
    case
        when s.state <> 'unclaimed' then 'finish'
        -- Only Apple told of it: no client has shown it yet.
        when s.shown_by_number is null then 'upload_proof'
        when counterfoil.can_be_ordered_again(s.transaction_id, s.bundle_id, s.environment) then 'order_again'
        else 'contact_support'
    end as client_action
from counterfoil.payment_states s;
comment on view counterfoil.payment_answers is 'Private: what each payment means to a client.';

alter view counterfoil.payment_answers owner to counterfoil_owner;
grant select on counterfoil.payment_answers to counterfoil_worker, counterfoil_support;
