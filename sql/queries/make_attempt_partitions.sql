-- Makes the partitions of attempts that are missing for this month and the next two; returns how many.
select counterfoil.make_attempt_partitions()
