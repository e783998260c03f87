-- What a person does next about an order.
--
-- $1 text  order
select n.step, n.command from counterfoil.next_step($1::text) n
