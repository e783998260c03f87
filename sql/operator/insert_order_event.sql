-- Records an operator's change to an order.
--
-- $1 text  order    $2 text  kind    $3 text  who    $4 text  why
insert into counterfoil.order_events (order_id, kind, who, why) values ($1::text, $2::text, $3::text, $4::text)
