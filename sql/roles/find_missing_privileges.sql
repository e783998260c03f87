-- The privileges that a worker needs and the current role lacks; no row when it lacks none.
select n.privilege || ' on ' || n.name as missing
from (
    values
        ('select', 'jobs'), ('delete', 'jobs'), ('select', 'orders'), ('select', 'gates'), ('select', 'apps'),
        ('select', 'products'), ('select', 'migrations'), ('select', 'payments'), ('insert', 'payments'),
        ('insert', 'originals'), ('insert', 'revocations'), ('insert', 'attempts'), ('select', 'budgets'), ('insert', 'proofs'),
        ('update', 'proofs'), ('delete', 'proofs'), ('insert', 'workers'), ('update', 'workers'), ('select', 'order_facts'), ('select', 'overview')
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
order by 1
