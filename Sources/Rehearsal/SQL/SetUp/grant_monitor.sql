-- What the migrator may not do there, and a superuser does once.
grant pg_monitor to counterfoil_owner
