-- Makes events due that wait, or were given up: one of them, or all that were given up. The tries begin anew. No row: there is none
-- that is the earliest of its order.
--
-- $1 int4  endpoint    $2 text  event id, or its change; null: all that were given up
update counterfoil.webhook_events v set next_at = clock_timestamp(), tries = 0
where v.endpoint = $1::integer and v.change_id >= 0
    and case
        when $2::text is null then v.next_at is null
        else coalesce(v.next_at < 'infinity', true) and (v.event_id = $2::text or v.change_id::text = $2::text)
    end
returning v.event_id
