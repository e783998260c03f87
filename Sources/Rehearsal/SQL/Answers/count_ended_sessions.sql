-- Sessions that the server ended because somebody asked for it, of all databases.
select coalesce(sum(d.sessions_killed), 0)::int8 from pg_stat_database d
