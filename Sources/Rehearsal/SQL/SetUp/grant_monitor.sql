-- A superuser grants this once: a migrator that is none may not.
grant pg_monitor to counterfoil_owner
