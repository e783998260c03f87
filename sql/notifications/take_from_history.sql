-- receive_notification for what Apple's history has: one that we can't read doesn't keep the others away.

create or replace function counterfoil.take_from_history(payload text) returns text
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
    return counterfoil.receive_notification(payload, 'history');
exception when check_violation then
    return 'unreadable';
end
$$;
comment on function counterfoil.take_from_history(text) is 'Private: takes a notification of Apple''s history.';
grant execute on function counterfoil.take_from_history(text) to counterfoil_worker, counterfoil_support;
