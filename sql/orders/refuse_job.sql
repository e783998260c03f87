-- Refuses a change of a job that breaks a rule of what never changes. Only the owner may change it.

create or replace function counterfoil.refuse_job() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    broken text := counterfoil.rule_broken_by_job(new.kind, new.order_id, new.transaction_id, new.proof, new.notification_id);
begin
    if broken is not null then
        perform counterfoil.refuse(broken);
    end if;
    return null;
end
$$;
comment on function counterfoil.refuse_job() is 'Private: refuses a job that breaks a rule of what never changes.';

-- After the update: a trigger before it would lock the row of each job that is claimed.
select counterfoil.make_trigger('counterfoil.jobs', 'changed_jobs_keep_their_rules', $$
    after update of kind, order_id, transaction_id, proof, notification_id on counterfoil.jobs
    for each row execute function counterfoil.refuse_job()
$$);
