-- From now on the server writes into its log how long each statement of a worker's new connections took.
do $$
begin
    execute format(
        'alter role counterfoil_worker in database %I set log_min_duration_statement = 0', current_database());
end
$$
