-- Adds an endpoint, which begins at a time.
--
-- $1 text    name                  $4 text[]  kinds, or null    $7 text  the time, as PostgreSQL reads it
-- $2 text    url                   $5 int4    rate              $8 text  who
-- $3 text[]  bundle ids, or null   $6 int4    calls at once
with made as (
    insert into counterfoil.webhook_endpoints (name, url, bundle_ids, kinds, rate, in_flight, pace, cursor, made_by)
    values (
        $1::text, $2::text, $3::text[], $4::text[], $5::integer, $6::integer, $5::integer,
        counterfoil.changes_from($7::text::timestamptz), $8::text
    )
    on conflict on constraint webhook_names_are_unique do nothing
    returning number, name
), noted as (
    insert into counterfoil.webhook_acts (endpoint, kind, about, who) select m.number, 'added', $7::text, $8::text from made m
)
select m.name from made m
