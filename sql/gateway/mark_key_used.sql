-- Notes the day of a key's use, once a day, and that it was seen in clear; a row where that is news.
--
-- $1 bytea  SHA-256 of the key
-- $2 bool   whether it was seen in clear
update counterfoil.gateway_keys k
set
    last_used_on = case when $2::boolean then k.last_used_on else current_date end,
    exposed_at = case when $2::boolean then coalesce(k.exposed_at, now()) else k.exposed_at end
where k.hash = $1::bytea
    and case when $2::boolean then k.exposed_at is null else k.last_used_on is distinct from current_date end
returning k.prefix
