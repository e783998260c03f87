-- What an analyst asks: how orders ended by app and hour, and how long their attempts took.
select
    o.bundle_id, date_trunc('hour', o.created_at) as hour, o.state, o.reason, count(*) as orders,
    avg(a.finished_at - a.submitted_at) as time_to_end
from counterfoil.orders o
left join counterfoil.attempts a on a.order_id = o.order_id
group by o.bundle_id, hour, o.state, o.reason
