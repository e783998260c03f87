-- Tells the feed that Apple asks about a refund which a customer wants.

create or replace function counterfoil.tell_consumption_request() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
    insert into counterfoil.changes (kind, transaction_id, environment, bundle_id, reason)
    values ('consumption_requested', new.transaction_id, new.environment, new.bundle_id, new.reason);
    return null;
end
$$;
comment on function counterfoil.tell_consumption_request() is 'Private: tells the feed that Apple asks about a refund.';

select counterfoil.make_trigger('counterfoil.consumption_requests', 'consumption_requests_are_told', $$
    after insert on counterfoil.consumption_requests
    for each row when (new.closed_at is null)
    execute function counterfoil.tell_consumption_request()
$$);
