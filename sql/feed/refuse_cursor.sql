-- The error for a cursor that no read can go on from. Its state is our own: some drivers don't give the name of a constraint.

create or replace function counterfoil.refuse_cursor() returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
    raise exception 'this cursor is not known here'
        using errcode = 'ZCU01', schema = 'counterfoil', constraint = 'cursor_unknown',
            detail = 'It is cut or of another database, or the server was restored or failed over, or what follows was dropped.',
            hint = 'Begin anew with counterfoil.changes_from(time).';
end
$$;
comment on function counterfoil.refuse_cursor() is 'Private: refuses a cursor.';
