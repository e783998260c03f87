-- The migrations that this database has had, beside the texts that this program has for them.
--
-- $1 int4[]  numbers that the program knows    $2 text[]  the texts of their files
select
    m.id, m.name, m.breaking,
    k.text is not null as is_known,
    k.text is null or m.checksum = encode(sha256(convert_to(k.text, 'UTF8')), 'hex') as is_unchanged
from counterfoil.migrations m
left join unnest($1::integer[], $2::text[]) as k (id, text) on k.id = m.id
order by m.id
