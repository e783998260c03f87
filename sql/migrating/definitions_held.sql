-- Private: the routines and views of the schema as they stand, a row a name, with the SHA-256 of what was made under it: overloads
-- of a routine are in its row. Owners and privileges are left out, since privilege_differences compares those.
--
-- written_by: the server keeps a tree, from which it writes the text of a view, or of a routine with `begin atomic`. Another
-- version may write it in other words, and so may this one after a restore, which parses what was written: so the version, and the
-- oid of a table, which a restore makes anew. It is null for all others, whose text is kept as it was sent.

create or replace function counterfoil.definitions_held() returns table (name text, checksum text, written_by text)
language sql stable
set search_path = pg_catalog, pg_temp
-- A text that is written from a tree depends on these as well.
set quote_all_identifiers = off
set datestyle = 'ISO'
set intervalstyle = 'postgres'
set timezone = 'UTC'
as $$
    select
        d.name, encode(sha256(convert_to(string_agg(d.definition, E'\n' order by d.definition collate "C"), 'UTF8')), 'hex'),
        case
            when bool_or(d.is_parsed)
            then concat_ws('.', current_setting('server_version_num')::integer / 10000, 'counterfoil.definitions'::regclass::oid)
        end
    from (
        select
            p.proname::text as name,
            concat_ws(
                E'\n', p.prokind, l.lanname, p.provolatile, p.proparallel, p.proisstrict, p.prosecdef, p.proleakproof, p.procost,
                p.prorows, array_to_string(p.proconfig, E'\n'), pg_get_function_arguments(p.oid), pg_get_function_result(p.oid),
                coalesce(pg_get_function_sqlbody(p.oid), p.prosrc)
            ) as definition,
            p.prosqlbody is not null as is_parsed
        from pg_proc p
        join pg_language l on l.oid = p.prolang
        where p.pronamespace = 'counterfoil'::regnamespace
        union all
        select c.relname::text, concat_ws(E'\n', array_to_string(c.reloptions, E'\n'), pg_get_viewdef(c.oid)), true
        from pg_class c
        where c.relnamespace = 'counterfoil'::regnamespace and c.relkind = 'v'
    ) d
    group by d.name
$$;
comment on function counterfoil.definitions_held() is
    'Private: the routines and views of the schema as they stand, each with the SHA-256 of its definition.';

alter function counterfoil.definitions_held() owner to counterfoil_owner;
grant execute on function counterfoil.definitions_held() to counterfoil_worker, counterfoil_support;
