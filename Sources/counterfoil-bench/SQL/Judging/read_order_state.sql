-- Where an order is.
--
-- $1 text  order
select o.state from counterfoil.orders o where o.order_id = $1::text
