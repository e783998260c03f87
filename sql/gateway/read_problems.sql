-- The problems by rule, all of them.
select p.rule, p.name, p.status from counterfoil.problems p
