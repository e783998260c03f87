-- How many payments the ledger holds.
select count(*) from counterfoil.grants
