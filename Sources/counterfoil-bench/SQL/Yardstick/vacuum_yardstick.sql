-- The yardstick's tables in the condition in which vacuum_queue.sql leaves the product's.
vacuum (analyze) counterfoil.jobs, counterfoil.orders, counterfoil.payments, counterfoil.attempts
