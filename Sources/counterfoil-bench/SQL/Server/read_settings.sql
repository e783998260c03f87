-- The settings that matter to speed, and those that differ from the defaults in a way that we chose.
--
-- $1 text[]  names
select s.name, pg_catalog.current_setting(s.name) as setting
from pg_catalog.pg_settings s
where s.name = any ($1::text[])
order by s.name
