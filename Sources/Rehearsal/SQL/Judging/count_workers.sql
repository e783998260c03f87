-- How many workers have registered.
select count(*) from counterfoil.workers
