-- A transaction id may be granted several times. Look-ups keep an index.
do $$
begin
    alter table counterfoil.payments drop constraint one_grant_a_transaction_id;
    create index on counterfoil.payments (transaction_id, bundle_id, environment);
end
$$
