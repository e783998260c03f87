-- Attempts that were charged because Apple could not be reached.
select count(*)
from counterfoil.attempts a
where a.reason = 'app_store_unavailable' and a.disposition in ('retry', 'discard')
