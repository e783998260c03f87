-- Whether a fault of our own set-up has closed a gate of an app.
--
-- $1 text  bundle id
select exists (
    select from counterfoil.gates g where g.bundle_id = $1::text and g.closed_by = 'configuration'
)
