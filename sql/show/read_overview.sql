-- How things are now, in one row.
select * from counterfoil.overview
