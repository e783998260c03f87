-- A row if the session, or the role that it acts as, is a superuser.
select from pg_catalog.pg_roles r where r.rolname in (session_user, current_user) and r.rolsuper
