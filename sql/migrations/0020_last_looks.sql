-- When a job's purchase was last looked for in vain: a look that comes long after the one before it, because Apple was away or no
-- worker ran, isn't taken for the last.

set local role counterfoil_owner;

alter table counterfoil.jobs add column last_missing_at timestamptz;
grant update (last_missing_at) on counterfoil.jobs to counterfoil_worker;
