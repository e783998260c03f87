-- How many payments the lean ledger holds.
select count(*) from lean.grants
