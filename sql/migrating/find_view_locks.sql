-- The statements that lock our views, one a view, always in the same order. Each changes nothing: "lock table" would lock the
-- tables below a view, too.
select format('alter view counterfoil.%I reset (check_option)', c.relname)
from pg_catalog.pg_class c
where c.relnamespace = 'counterfoil'::regnamespace and c.relkind = 'v'
order by c.relname
