-- The roll-up of the past's attempts by the hour, all at once, in the order in which workers write.
insert into counterfoil.attempt_hours (hour, bundle_id, outcome, reason, proof_kind, environment, attempts)
select
    date_trunc('hour', a.finished_at), o.bundle_id, counterfoil.attempt_outcome(a.disposition, a.reason, a.transaction_id),
    coalesce(a.reason, ''), a.proof_kind, a.environment, count(*)
from counterfoil.attempts a
join counterfoil.orders o on o.order_id = a.order_id
where a.finished_at < (select final_to from counterfoil.roll_up_marks)
group by 1, 2, 3, 4, 5, 6
order by 1
