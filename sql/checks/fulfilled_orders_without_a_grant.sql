-- An order that is paid by nothing that the ledger knows.
select o.order_id, o.state, o.transaction_id
from counterfoil.orders o
where o.state = 'fulfilled' and not exists (select from counterfoil.grants g where g.order_id = o.order_id)
limit 100
