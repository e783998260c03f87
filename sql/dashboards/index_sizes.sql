-- How large the indexes of this schema are, beside what their entries would take if they were packed: how bloated they
-- are.
--
-- An estimate: entries as of the last vacuum, keys of their average width, nine tenths of each page full. Security
-- definer, since statistics are shown to whoever may read the table.

create or replace function counterfoil.index_sizes()
returns table (table_name name, index_name name, bytes bigint, packed_bytes bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
    with widths as materialized (
        select s.tablename, s.attname, s.avg_width
        from pg_catalog.pg_stats s
        where s.schemaname = 'counterfoil' and not s.inherited
    )
    select
        t.relname, i.relname, pg_relation_size(i.oid),
        8192 * (2 + ceil(greatest(i.reltuples, 0) * (16 + w.width) / (8192 * 0.9)))::bigint
    from pg_catalog.pg_index x
    join pg_catalog.pg_class i on i.oid = x.indexrelid
    join pg_catalog.pg_class t on t.oid = x.indrelid
    join pg_catalog.pg_am m on m.oid = i.relam
    cross join lateral (
        select coalesce(sum((coalesce(s.avg_width, 8) + 7) / 8 * 8), 8) as width
        from unnest(x.indkey::smallint[]) as k (attnum)
        join pg_catalog.pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum
        left join widths s on s.tablename = t.relname and s.attname = a.attname
    ) w
    where t.relnamespace = 'counterfoil'::regnamespace and i.relkind = 'i' and m.amname = 'btree'
$$;
comment on function counterfoil.index_sizes() is
    'Each btree index of the schema with its size and an estimate of its size without bloat, in bytes.';

grant execute on function counterfoil.index_sizes() to counterfoil_worker, counterfoil_support, counterfoil_reader;
