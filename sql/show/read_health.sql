-- The view health, the worst first; one row a subject.
select h.subject, h.level, h.finding, h.mend from counterfoil.health h
