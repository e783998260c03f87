-- Whose transaction numbers the changes of this table bear: the server, the database and the table itself, which a restore makes
-- anew.
--
-- Not in SQL: such a function would be planned anew by each call.

create or replace function counterfoil.feed_server() returns text
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
    return concat_ws(
        '.', (select s.system_identifier from pg_control_system() s),
        (select d.oid from pg_database d where d.datname = current_database()), 'counterfoil.changes'::regclass::oid);
end
$$;
comment on function counterfoil.feed_server() is 'Private: whose transaction numbers the changes bear.';

-- A view's functions are called with the rights of whoever reads it (health).
grant execute on function counterfoil.feed_server() to counterfoil_worker, counterfoil_support, counterfoil_reader;
