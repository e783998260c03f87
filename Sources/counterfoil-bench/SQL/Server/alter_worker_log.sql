-- From now on the server writes into its log how long a tenth of the statements of a worker's new connections took: to
-- write all of them down would hold up what is measured.
do $$
begin
    execute format(
        'alter role counterfoil_worker in database %I set log_min_duration_sample = 0', current_database());
    execute format(
        'alter role counterfoil_worker in database %I set log_statement_sample_rate = 0.1', current_database());
end
$$
