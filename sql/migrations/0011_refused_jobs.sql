-- Jobs whose settlement the shop's function refuses. Serves health.

set local role counterfoil_owner;

create index jobs_refused_by_the_shop on counterfoil.jobs (id) where reason = 'shop_trigger_failed';
