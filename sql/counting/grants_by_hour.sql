-- Private: how many payments were granted in an hour, by app and environment; of this hour what has been counted.

create or replace view counterfoil.grants_by_hour as
select h.hour, h.bundle_id, h.environment, h.attempts as grants
from counterfoil.attempt_hours h
where h.outcome = 'fulfilled';
comment on view counterfoil.grants_by_hour is 'Private: how many payments were granted in an hour.';

alter view counterfoil.grants_by_hour owner to counterfoil_owner;
grant select on counterfoil.grants_by_hour to counterfoil_worker, counterfoil_support;
