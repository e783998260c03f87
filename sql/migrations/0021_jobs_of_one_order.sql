-- The jobs of an order, found by its id, of which one runs at a time: one index says both, and a claim writes one entry less.
--
-- As 0009, it is made beside workers, and each statement may be repeated. The two that it replaces go when this stands (0022).
-- concurrently

-- What an interruption left behind, which is no index that anybody may use.
drop index concurrently if exists counterfoil.one_job_of_an_order_runs_at_a_time;

-- Jobs that wait have ids of their own; the one that runs takes the place of number 0. No other job can.
create unique index concurrently one_job_of_an_order_runs_at_a_time
    on counterfoil.jobs (order_id, (case when state = 'running' then 0 else id end));
