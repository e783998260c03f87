-- Every app has a gate for each of its lanes, a budget for each endpoint that Apple counts, and a place in Apple's history of
-- notifications.
--
-- Sandbox has a tenth of production's rate; bare transaction ids, which anybody can invent, use at most a fifth of it.
-- https://developer.apple.com/documentation/appstoreserverapi/identifying-rate-limits

create or replace function counterfoil.make_gates() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
    insert into counterfoil.gates (bundle_id, route, environment)
    values
        (new.bundle_id, 'local', null),
        (new.bundle_id, 'verify_receipt', 'production'),
        (new.bundle_id, 'verify_receipt', 'sandbox'),
        (new.bundle_id, 'server_api', 'production'),
        (new.bundle_id, 'server_api', 'sandbox'),
        (new.bundle_id, 'finish_transaction', 'production'),
        (new.bundle_id, 'finish_transaction', 'sandbox')
    on conflict do nothing;

    insert into counterfoil.budgets (bundle_id, endpoint, environment, calls_per_second)
    values
        (new.bundle_id, 'get_transaction_info', 'production', 50),
        (new.bundle_id, 'get_transaction_info', 'sandbox', 5),
        (new.bundle_id, 'get_transaction_info_of_bare_id', 'production', 10),
        (new.bundle_id, 'get_transaction_info_of_bare_id', 'sandbox', 1),
        (new.bundle_id, 'finish_transaction', 'production', 50),
        (new.bundle_id, 'finish_transaction', 'sandbox', 5),
        (new.bundle_id, 'get_notification_history', 'production', 50),
        (new.bundle_id, 'get_notification_history', 'sandbox', 5),
        (new.bundle_id, 'get_all_subscription_statuses', 'production', 50),
        (new.bundle_id, 'get_all_subscription_statuses', 'sandbox', 5),
        (new.bundle_id, 'send_consumption_information', 'production', 50),
        (new.bundle_id, 'send_consumption_information', 'sandbox', 5)
    on conflict do nothing;

    insert into counterfoil.catch_ups (bundle_id, environment)
    values (new.bundle_id, 'production'), (new.bundle_id, 'sandbox')
    on conflict do nothing;
    return null;
end
$$;

select counterfoil.make_trigger('counterfoil.apps', 'make_gates', $$
    after insert on counterfoil.apps
    for each row execute function counterfoil.make_gates()
$$);
