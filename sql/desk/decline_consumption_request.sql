-- The shop gives no answer to Apple's question about a refund: nothing is sent, and Apple decides without one.
--
-- A question of another app than the one that is given is answered as an unknown one.
create or replace function counterfoil.decline_consumption_request(notification_uuid uuid, why text, bundle_id text default null)
returns setof counterfoil.consumption_request_status
language plpgsql security definer rows 1 set search_path = pg_catalog, pg_temp
as $$
begin
    perform from counterfoil.decide_consumption_request(
        $1, decline_consumption_request.bundle_id, true, session_user::text, decline_consumption_request.why, null, null, null, null,
        null);
    return query select s.* from counterfoil.consumption_request_status s where s.notification_uuid = $1;
end
$$;
comment on function counterfoil.decline_consumption_request(uuid, text, text) is
    'Gives no answer to Apple''s question about a refund, for a reason. Safe to repeat.';
grant execute on function counterfoil.decline_consumption_request(uuid, text, text) to counterfoil_backend, counterfoil_support;
