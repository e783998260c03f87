-- A ledger in which an order, and a payment under several names, may be granted again.
drop index counterfoil.one_grant_an_order, counterfoil.one_grant_a_payment
