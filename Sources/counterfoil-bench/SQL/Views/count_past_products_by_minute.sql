-- The roll-up of the past's products by the minute, all at once, in the order in which workers write.
insert into counterfoil.product_minutes (minute, bundle_id, product_id, ordered, judged, fulfilled, rejected, reviewed, refunded)
select
    date_trunc('minute', o.created_at), o.bundle_id, o.product_id, count(*), count(*), count(*) filter (where o.state = 'fulfilled'),
    count(*) filter (where o.state = 'rejected'), count(*) filter (where o.state = 'review'),
    count(*) filter (where o.state = 'refunded')
from counterfoil.orders o
where o.created_at < (select final_to from counterfoil.roll_up_marks)
    and o.created_at >= now() - interval '14 days'
group by 1, 2, 3
order by 1
