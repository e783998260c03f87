-- The action for the backend's client, computed from an order and its pending jobs.
--
-- order_status replaces it in three cases: order_again, and finish once another order has the payment that was shown; and
-- contact_support after too many uploads that can't be read (uploads_are_unreadable).
--
-- pending is null without a pending job, else the reason that the job waits for ('' when there is none).

create or replace function counterfoil.client_action(state text, reason text, pending text) returns text
language sql immutable parallel safe
begin atomic
    select case
        when state in ('fulfilled', 'refunded') then 'finish'
        when pending = 'purchase_not_in_receipt' then 'resend_proof'
        when pending is not null then 'wait'
        when state = 'open' then 'upload_proof'
        when state = 'rejected' and reason in ('malformed_proof', 'not_a_purchase', 'purchase_not_in_receipt') then 'resend_proof'
        when state = 'rejected' and reason in ('already_granted', 'already_owned', 'family_shared', 'assigned_seat')
            then 'finish'
        else 'contact_support'
    end;
end;
comment on function counterfoil.client_action(text, text, text) is
    'Private: what the client should do, by the order alone: wait, finish, upload_proof, resend_proof or contact_support.';

-- A view's functions are called with the rights of whoever reads it.
grant execute on function counterfoil.client_action(text, text, text)
    to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
