-- Finished attempts of the last 24 hours, a row for each minute, app and result.

create or replace view counterfoil.throughput as
select m.minute, m.bundle_id, m.outcome, sum(m.attempts)::bigint as attempts
from counterfoil.attempt_minutes m
where m.minute >= now() - interval '24 hours'
group by m.minute, m.bundle_id, m.outcome;
comment on view counterfoil.throughput is
    'How many attempts finished in each minute of the last 24 hours, by app and by what came of them.';

alter view counterfoil.throughput owner to counterfoil_owner;
grant select on counterfoil.throughput to counterfoil_worker, counterfoil_support, counterfoil_reader;
