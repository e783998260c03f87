-- The id of a new job. A backend keeps it, and asks with it what became of an upload (upload_status): so it isn't given again after
-- a failover. An epoch has ten million million.

create or replace function counterfoil.next_job_id() returns bigint
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
    return counterfoil.with_epoch(nextval('counterfoil.job_ids'), 10000000000000);
end
$$;
comment on function counterfoil.next_job_id() is 'Private: the id of a new job.';
grant execute on function counterfoil.next_job_id() to counterfoil_backend, counterfoil_worker, counterfoil_support;

do $$
begin
    -- Once: it needs the table to itself.
    if not exists (
        select from pg_catalog.pg_attrdef d
        join pg_catalog.pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
        where d.adrelid = 'counterfoil.jobs'::regclass and a.attname = 'id'
    ) then
        alter table counterfoil.jobs alter column id set default counterfoil.next_job_id();
    end if;
end
$$;
