-- Adds a proof to an order unless it is pending, and returns the job: add_proof and submit end with it, and know
-- whose order it is.
--
-- The same proof again, while it is pending, is the same job. Lengths differ first, and cost nothing to compare.

create or replace function counterfoil.keep_upload(
    order_id text, proof text, transaction_id text, may_be_pending boolean
) returns bigint
language plpgsql set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
    pending bigint;
begin
    if keep_upload.may_be_pending then
        select max(j.id) into pending
        from counterfoil.orders o
        join counterfoil.jobs j on j.order_number = o.number
        where o.order_id = keep_upload.order_id and j.state <> 'discarded'
            and octet_length(j.proof) = octet_length(keep_upload.proof) and j.proof = keep_upload.proof
            and j.transaction_id is not distinct from keep_upload.transaction_id;
    end if;
    if pending is null then
        insert into counterfoil.jobs (order_id, proof, transaction_id)
        values (keep_upload.order_id, keep_upload.proof, keep_upload.transaction_id)
        returning id into pending;
    end if;
    return pending;
end
$$;
comment on function counterfoil.keep_upload(text, text, text, boolean) is
    'Private: adds a proof to an order unless it is pending, and returns its job.';
