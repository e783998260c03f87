-- Gives the roles of developers the session's password.
do $$
declare
    role text;
begin
    foreach role in array array['postgres', 'counterfoil_backend', 'counterfoil_support', 'counterfoil_reader'] loop
        execute format('alter role %I password %L', role, current_setting('rehearsal.password'));
    end loop;
end
$$
