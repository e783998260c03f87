-- An endpoint's events: those that were given up, then by the time of their next try, those behind others last.
--
-- $1 text  name    $2 int4  the most to return
select
    v.event_id,
    case
        when v.next_at is null then 'given up' when v.next_at = 'infinity' then 'behind'
        when v.lease_expires_at > clock_timestamp() then 'sending' else 'waiting'
    end as state,
    v.body::json ->> 'type' as kind, v.body::json -> 'data' ->> 'order_id' as order_id,
    v.body::json -> 'data' ->> 'transaction_id' as transaction_id, v.changed_at, v.tries,
    case when v.next_at < 'infinity' then v.next_at end as next_at, v.error
from counterfoil.webhook_events v
join counterfoil.webhook_endpoints e on e.number = v.endpoint
where e.name = $1::text and v.change_id >= 0
order by v.next_at nulls first, v.change_id
limit $2::integer
