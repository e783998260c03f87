-- The publications that make the server refuse updates and deletions of a table of ours, with the reason: a row filter that reads a
-- column outside of the table's replica identity, or a list of columns that lacks one of it. And those of the feed's table, which
-- is private: its rows may have another form in the next version. No row when there is none.

create or replace function counterfoil.harmful_publications()
returns table (publication name, table_name name, why text)
language sql stable set search_path = pg_catalog, pg_temp
as $$
    select
        p.pubname, c.relname,
        case when f.is_private then 'private' when r.prqual is not null then 'rows' else 'columns' end
    from pg_publication_rel r
    join pg_publication p on p.oid = r.prpubid
    join pg_class c on c.oid = r.prrelid
    left join pg_index i
        on i.indrelid = c.oid and case c.relreplident when 'd' then i.indisprimary when 'i' then i.indisreplident else false end
    cross join lateral (
        select
            c.oid = 'counterfoil.changes'::regclass or exists (
                select from pg_inherits h where h.inhrelid = c.oid and h.inhparent = 'counterfoil.changes'::regclass
            ) as is_private
    ) f
    where c.relnamespace = to_regnamespace('counterfoil')
        and (
            f.is_private
            or (p.pubupdate or p.pubdelete) and c.relreplident <> 'f'
            and case
                when r.prattrs is not null then not coalesce(i.indkey::smallint[], '{}') <@ r.prattrs::smallint[]
                -- The columns that a filter reads are what its entry depends on.
                when r.prqual is not null then exists (
                    select from pg_depend d
                    where d.classid = 'pg_publication_rel'::regclass and d.objid = r.oid and d.refobjid = c.oid and d.refobjsubid > 0
                        and d.refobjsubid <> all (coalesce(i.indkey::smallint[], '{}'))
                )
                else false
            end
        )
$$;
comment on function counterfoil.harmful_publications() is
    'Publications by whose filter the server refuses updates of a table of this schema, and those of the feed''s private table.';

grant execute on function counterfoil.harmful_publications() to counterfoil_worker, counterfoil_support, counterfoil_reader;
