-- Makes the partitions of attempts that are missing for this month and the next two, where nobody is in the way; returns how
-- many it made.
select counterfoil.make_attempt_partitions()
