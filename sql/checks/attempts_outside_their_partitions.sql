-- History that went into the default partition: the partitions were not made ahead.
select a.finished_at, count(*) from counterfoil.other_attempts_default a group by a.finished_at limit 100
