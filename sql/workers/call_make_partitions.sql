-- Makes the partitions of attempts and changes that are missing for this month and the next two, where nobody is in the way.
select counterfoil.make_attempt_partitions(), counterfoil.make_change_partitions()
