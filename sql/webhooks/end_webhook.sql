-- Removes an event that is handled, or that an operator gave up: the next of its key is due. The endpoint's row is locked.

create or replace function counterfoil.end_webhook(endpoint integer, event_id text) returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
    key_of_event text;
begin
    delete from counterfoil.webhook_events v
    where v.endpoint = end_webhook.endpoint and v.event_id = end_webhook.event_id
    returning v.key into key_of_event;
    update counterfoil.webhook_events v
    set next_at = clock_timestamp()
    where v.endpoint = end_webhook.endpoint and v.key = key_of_event and v.next_at = 'infinity'
        and v.change_id = (
            select min(n.change_id)
            from counterfoil.webhook_events n
            where n.endpoint = end_webhook.endpoint and n.key = key_of_event
        );
end
$$;
comment on function counterfoil.end_webhook(integer, text) is 'Private: removes an event, and makes the next of its key due.';

-- For counterfoil webhooks skip.
grant execute on function counterfoil.end_webhook(integer, text) to counterfoil_support;
