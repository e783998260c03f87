-- What 0021 replaces.
-- concurrently

drop index concurrently if exists counterfoil.jobs_by_order;
drop index concurrently if exists counterfoil.jobs_of_one_order_run_one_at_a_time;
