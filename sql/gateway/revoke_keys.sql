-- Revokes keys at once; a row for each.
--
-- $1 text  a name or a prefix; null: all that were seen in clear
-- $2 text  who
-- $3 text  why
update counterfoil.gateway_keys k
set revoked_at = now(), revoked_by = $2::text, why = $3::text
where k.revoked_at is null
    and case when $1::text is null then k.exposed_at is not null else k.name = $1::text or k.prefix = $1::text end
returning prefix, name
