-- The columns of tables, as "name type, …"; the empty name is the schema's own row. No row: there is no such schema.
--
-- $1 text  schema    $2 text[]  the tables
select '' as table_name, '' as columns
from pg_namespace n
where n.nspname = $1::text
union all
select
    c.relname::text,
    (
        select string_agg(concat(a.attname, ' ', format_type(a.atttypid, a.atttypmod)), ', ' order by a.attnum)
        from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    )
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
where n.nspname = $1::text and c.relname = any ($2::text[]::name[])
