-- The outcome of an attempt, computed from its row of the history: one word for the dashboards.
--
-- The reasons that reject stand here; any other reason of a finished job leaves its order to a person. A test compares
-- them with sql/docs/states.md.

create or replace function counterfoil.attempt_outcome(disposition text, reason text, transaction_id text) returns text
language sql immutable parallel safe
begin atomic
    select case disposition
        when 'complete' then
            case
                when reason is null and transaction_id is not null then 'fulfilled'
                when reason is null then 'unchanged'
                when reason = 'refunded' then 'refunded'
                when reason = 'another_payment' then 'unchanged'
                -- A payment for another product, which is kept.
                when reason = 'wrong_product' and transaction_id is not null then 'review'
                when reason in (
                    'malformed_proof', 'not_a_purchase', 'purchase_not_in_receipt', 'proof_too_large', 'bad_certificate',
                    'untrusted_root', 'bad_signature', 'unsupported_environment', 'not_authentic', 'customer_not_found',
                    'wrong_app', 'wrong_product', 'transaction_not_found', 'sandbox_not_allowed', 'family_shared', 'assigned_seat',
                    'already_granted', 'already_owned', 'granted_to_another_account'
                ) then 'rejected'
                else 'review'
            end
        when 'retry' then 'retried'
        when 'snooze' then 'snoozed'
        when 'release' then 'released'
        when 'discard' then 'discarded'
        when 'rescue' then 'rescued'
        when 'cancel' then 'cancelled'
    end;
end;
comment on function counterfoil.attempt_outcome(text, text, text) is
    'What came of an attempt: fulfilled, refunded, rejected, review, unchanged, retried, snoozed, released, '
    'discarded, rescued or cancelled.';

grant execute on function counterfoil.attempt_outcome(text, text, text)
    to counterfoil_worker, counterfoil_support, counterfoil_reader;
