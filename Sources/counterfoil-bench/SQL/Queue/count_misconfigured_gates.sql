-- An app's gates that a fault of configuration closed.
--
-- $1 text  app
select count(*) from counterfoil.gates g where g.bundle_id = $1::text and g.closed_by = 'configuration'
