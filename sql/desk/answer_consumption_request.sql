-- The shop answers Apple's question about a refund: a worker sends the answer until Apple takes it or the deadline passes. What
-- isn't given is what the ledger knows, or the app's default (counterfoil apps add). The same answer again is harmless.
--
-- A question of another app than the one that is given is answered as an unknown one.
create or replace function counterfoil.answer_consumption_request(
    notification_uuid uuid, why text, customer_consented boolean default null, delivery_status text default null,
    consumed_share numeric default null, refund_preference text default null, sample_content_provided boolean default null,
    bundle_id text default null
) returns setof counterfoil.consumption_request_status
language plpgsql security definer rows 1 set search_path = pg_catalog, pg_temp
as $$
begin
    perform from counterfoil.decide_consumption_request(
        $1, answer_consumption_request.bundle_id, false, session_user::text, answer_consumption_request.why,
        answer_consumption_request.customer_consented, answer_consumption_request.delivery_status,
        answer_consumption_request.consumed_share, answer_consumption_request.refund_preference,
        answer_consumption_request.sample_content_provided);
    return query select s.* from counterfoil.consumption_request_status s where s.notification_uuid = $1;
end
$$;
comment on function counterfoil.answer_consumption_request(uuid, text, boolean, text, numeric, text, boolean, text) is
    'Answers Apple''s question about a refund, for a reason; a worker sends it. Safe to repeat.';
grant execute on function counterfoil.answer_consumption_request(uuid, text, boolean, text, numeric, text, boolean, text)
    to counterfoil_backend, counterfoil_support;
