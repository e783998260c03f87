-- Notes why this worker can't send to an endpoint.
--
-- $1 text  name    $2 text  error
update counterfoil.webhook_endpoints e set last_error = $2::text, last_error_at = clock_timestamp() where e.name = $1::text
