-- The roll-up of the past's duplicates by account, all at once.
insert into counterfoil.suspicion_minutes (minute, bundle_id, account_id, reason, attempts)
select date_trunc('minute', o.updated_at), o.bundle_id, o.account_id, o.reason, count(*)
from counterfoil.orders o
where o.state = 'rejected' and o.updated_at < (select final_to from counterfoil.roll_up_marks)
    and o.updated_at >= now() - interval '14 days'
group by 1, 2, 3, 4
