-- Whose transaction numbers the changes of this table bear: the server, the database and the table itself, which a restore makes anew.

create or replace function counterfoil.feed_server() returns text
language sql stable set search_path = pg_catalog, pg_temp
as $$
    select
        concat_ws('.', s.system_identifier, d.oid, 'counterfoil.changes'::regclass::oid)
    from pg_control_system() s
    cross join pg_database d
    where d.datname = current_database()
$$;
comment on function counterfoil.feed_server() is 'Private: whose transaction numbers the changes bear.';
