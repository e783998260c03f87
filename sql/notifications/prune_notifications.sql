-- Empties notifications past their retention, a batch at a time; any worker may, twice at once too. The rows stay, so that a
-- repetition is known. Returns how many.
--
-- Those of unknown apps go after eight days. Anybody may have sent them, and they would close the intake to others. Once such an
-- app is added, Apple's history is read whole.
--
-- $1 float8  retention, in seconds
-- $2 int4    the most to empty
--
-- Idiom: lock first.
with strange as materialized (
    select n.id from counterfoil.notifications n
    where n.outcome is null and not n.is_of_an_app and n.received_at < now() - interval '8 days'
    limit $2::integer
    for update skip locked
), gone as (
    delete from counterfoil.notifications n using strange s where n.id = s.id
), old as materialized (
    select n.id from counterfoil.notifications n
    where n.payload is not null and n.received_at < now() - make_interval(secs => $1::double precision) and n.outcome is not null
    order by n.received_at
    limit $2::integer
    for update skip locked
)
update counterfoil.notifications n set payload = null from old where n.id = old.id
