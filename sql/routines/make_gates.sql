-- Every app has a gate for each of its lanes.

create or replace function counterfoil.make_gates() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
    insert into counterfoil.gates (bundle_id, route, environment)
    values
        (new.bundle_id, 'local', null),
        (new.bundle_id, 'verify_receipt', 'production'),
        (new.bundle_id, 'verify_receipt', 'sandbox')
    on conflict do nothing;
    return null;
end
$$;

create or replace trigger make_gates after insert on counterfoil.apps
for each row execute function counterfoil.make_gates();
