-- A ledger in which an order, and a payment under several names, may be granted again. Look-ups keep an index.
do $$
begin
    drop index counterfoil.one_grant_an_order, counterfoil.one_grant_a_payment;
    create index on counterfoil.payments (order_number) where order_number is not null;
    create index on counterfoil.payments (payment_key, bundle_id, environment)
        where granted_at is not null and payment_key is not null;
end
$$
