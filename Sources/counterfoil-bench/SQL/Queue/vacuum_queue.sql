-- So that each run finds the same statistics and no autovacuum starts in the middle of it.
vacuum (analyze) counterfoil.jobs, counterfoil.orders, counterfoil.payments, counterfoil.other_attempts
