-- A ledger in which nothing is unique.
alter table counterfoil.grants drop constraint one_grant_an_order, drop constraint one_grant_a_payment
