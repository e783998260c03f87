-- Finished attempts of the last 30 days, a row for each hour, app and result; of this hour what has been counted.

create or replace view counterfoil.throughput_by_hour as
select h.hour, h.bundle_id, h.outcome, sum(h.attempts)::bigint as attempts
from counterfoil.attempt_hours h
where h.hour >= now() - interval '30 days'
group by h.hour, h.bundle_id, h.outcome;
comment on view counterfoil.throughput_by_hour is
    'How many attempts finished in each hour of the last 30 days, by app and by what came of them.';

alter view counterfoil.throughput_by_hour owner to counterfoil_owner;
grant select on counterfoil.throughput_by_hour to counterfoil_worker, counterfoil_support, counterfoil_reader;
