-- Jobs whose settlement the database refuses. Serves health.

set local role counterfoil_owner;

create index refused_settlements on counterfoil.jobs (id) where reason = 'settlement_refused';
