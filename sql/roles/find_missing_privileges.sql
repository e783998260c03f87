-- The privileges that a worker needs and the current role lacks; no row when it lacks none, or is the role of workers or for acts
-- by hand: find_privilege_differences tells what these two lost.
select m.missing
from (
    select n.privilege || ' on ' || n.name as missing
    from (
        values
            ('select', 'jobs'), ('delete', 'jobs'), ('select', 'orders'), ('select', 'gates'), ('select', 'apps'),
            ('select', 'products'), ('select', 'migrations'), ('select', 'payments'), ('insert', 'payments'),
            ('insert', 'originals'), ('insert', 'revocations'), ('insert', 'other_attempts'), ('select', 'budgets'), ('insert', 'proofs'),
            ('update', 'proofs'), ('delete', 'proofs'), ('insert', 'awaited_renewals'), ('insert', 'workers'), ('update', 'workers'),
            ('select', 'order_facts'), ('select', 'overview'), ('insert', 'credential_refusals'),
            ('select', 'refusal_standings')
    ) as n (privilege, name)
    where not has_table_privilege('counterfoil.' || n.name, n.privilege)
    union all
    -- Of some columns only.
    select n.privilege || ' on ' || n.name
    from (
        values
            ('update', 'jobs'), ('update', 'orders'), ('update', 'gates'), ('update', 'budgets'), ('insert', 'order_events'),
            ('update', 'payments'), ('update', 'originals')
    ) as n (privilege, name)
    where not has_any_column_privilege('counterfoil.' || n.name, n.privilege)
) as m
where not exists (
    select from pg_catalog.pg_roles r
    where r.rolname in ('counterfoil_support', 'counterfoil_worker') and pg_has_role(r.oid, 'usage')
)
order by 1
