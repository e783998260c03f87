-- The views that administrators read, each with a statement that reads all of it.
--
-- $1 text  an order whose story is read
select
    c.relname::text,
    format(
        'select * from counterfoil.%I%s', c.relname,
        case c.relname when 'order_story' then format(' where order_id = %L order by at', $1::text) else '' end
    )
from pg_catalog.pg_class c
where c.relnamespace = 'counterfoil'::regnamespace and c.relkind = 'v'
    and has_table_privilege('counterfoil_reader', c.oid, 'select')
    -- Looked up by an order, a transaction or an account, never read as a whole.
    and c.relname not in ('order_status', 'transaction_status', 'grants', 'unclaimed_transactions')
order by c.relname
