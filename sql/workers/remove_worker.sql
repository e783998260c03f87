-- Removes the row of a worker that ends, and those of workers that were silent for a day.
--
-- $1 int8  worker, or null
delete from counterfoil.workers where id = $1::bigint or heartbeat_at < now() - interval '1 day'
