-- Proofs of the last 24 hours that granted nothing, by reason.

create or replace view counterfoil.rejections as
select
    m.bundle_id, m.outcome, m.reason, sum(m.attempts)::bigint as last_24_hours,
    coalesce(sum(m.attempts) filter (where m.minute >= now() - interval '1 hour'), 0)::bigint as last_hour,
    max(m.minute) as last_minute
from counterfoil.attempt_minutes m
where m.minute >= now() - interval '24 hours' and m.outcome in ('rejected', 'review', 'discarded')
group by m.bundle_id, m.outcome, m.reason;
comment on view counterfoil.rejections is
    'Proofs that were rejected, left to a person or given up in the last 24 hours and hour, by app and reason.';

alter view counterfoil.rejections owner to counterfoil_owner;
grant select on counterfoil.rejections to counterfoil_worker, counterfoil_support, counterfoil_reader;
