-- A database that doesn't tell the feed of orders that are moved without a grant.
drop trigger orders_are_told on counterfoil.orders
