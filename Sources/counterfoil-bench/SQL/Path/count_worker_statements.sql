-- From the next connection on, the server counts what the worker's role sends, and the statements of triggers and functions.
alter role counterfoil_worker set pg_stat_statements.track = 'all'
