-- Takes a notification of Apple's history. What the database refuses of one, such as a text of more than 256 KiB, doesn't keep the
-- others away: it is answered as unreadable. One that another session is storing is passed over.

create or replace function counterfoil.take_from_history(payload text) returns text
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
    return counterfoil.store_notification(payload, 'history');
exception when data_exception or integrity_constraint_violation or program_limit_exceeded then
    return 'unreadable';
end
$$;
comment on function counterfoil.take_from_history(text) is 'Private: takes a notification of Apple''s history.';
grant execute on function counterfoil.take_from_history(text) to counterfoil_worker, counterfoil_support;
