-- The apps that have a closed gate.
select distinct g.bundle_id from counterfoil.gates g where g.state = 'closed'
