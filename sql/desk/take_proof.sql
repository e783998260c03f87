-- Private: the proof of a job that waits, or that ended and whose proof is kept; and who took it, and why, in the order's story.
-- No row: there is none.

create or replace function counterfoil.take_proof(of_job bigint, who text, why text)
returns table (order_id text, proof text)
language plpgsql security definer rows 1 set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
#variable_conflict use_column
declare
    found_order text;
    found_proof text;
begin
    select p.order_id, p.proof into found_order, found_proof
    from (
        select j.order_id, j.proof from counterfoil.jobs j where j.id = of_job and j.proof is not null
        union all
        select k.order_id, k.proof from counterfoil.proofs k where k.job_id = of_job
    ) p
    limit 1;
    if found then
        insert into counterfoil.order_events (order_id, kind, who, why)
        values (found_order, 'proof_read', take_proof.who, format('the proof of job %s: %s', of_job, take_proof.why));
        return query select found_order, found_proof;
    end if;
end
$$;
comment on function counterfoil.take_proof(bigint, text, text) is 'Private: the proof of a job, and a line about who took it.';
grant execute on function counterfoil.take_proof(bigint, text, text) to counterfoil_support;
