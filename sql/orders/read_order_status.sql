-- Where an order is.
--
-- $1 text  order
select * from counterfoil.order_status s where s.order_id = $1::text
