-- The rule of what never changes that a job breaks, or null. The first ones hold what the decoding of a job needs (Work.swift).
--
-- They are no constraints: each update would check these, and each statement compile them anew. For a claim of one job that is a
-- seventh of its cost. prepare_job checks them where a job is inserted, refuse_job where the owner changes one.

create or replace function counterfoil.rule_broken_by_job(
    kind text, order_id text, transaction_id text, proof text, notification_id bigint
) returns text
language sql immutable parallel safe
begin atomic
    select case
        when kind = 'finish' and transaction_id is null then 'follow_ups_name_a_transaction'
        when length(transaction_id) not between 1 and 64 then 'hinted_transaction_id_has_1_to_64_characters'
        when kind not in ('verify', 'finish', 'notification') then 'job_kind_is_known'
        when (kind = 'notification') <> (notification_id is not null) or (kind = 'notification') <> (order_id is null)
            then 'jobs_have_an_order_or_a_notification'
        when octet_length(proof) not between 1 and 4194304 then 'proof_has_1_byte_to_4_mib'
        when (kind = 'verify') <> (proof is not null) then 'proofs_are_of_jobs_that_verify'
    end;
end;
comment on function counterfoil.rule_broken_by_job(text, text, text, text, bigint) is
    'Private: the rule of what never changes that a job breaks, or null.';
