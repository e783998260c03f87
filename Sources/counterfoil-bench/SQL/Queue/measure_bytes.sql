-- What each kind of table takes, without its indexes and by them: history counts as one, and so do the counts of workers.
select
    t.name, sum(pg_table_size(t.oid))::bigint as table_bytes, sum(pg_indexes_size(t.oid))::bigint as index_bytes
from (
    select
        c.oid,
        case
            when c.relname like 'other_attempts%' then 'attempts'
            when c.relname ~ '_(minutes|hours)$' then 'counts'
            else c.relname::text
        end as name
    from pg_catalog.pg_class c
    where c.relnamespace = 'counterfoil'::regnamespace and c.relkind = 'r'
) t
group by t.name
having sum(pg_total_relation_size(t.oid)) > 10000000
order by sum(pg_total_relation_size(t.oid)) desc
