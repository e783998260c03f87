-- The lanes of the yardstick, all open.
select g.lane from counterfoil.gates g order by g.lane
