-- Records the texts of the routines and views, and what stands now, just after the migrator made them.
--
-- $1 text[]  names of the files    $2 text[]  their texts
with gone as (
    delete from counterfoil.definitions d where d.name <> all ($1::text[])
)
insert into counterfoil.definitions as d (name, text_checksum, checksum, written_by)
select f.name, encode(sha256(convert_to(f.text, 'UTF8')), 'hex'), s.checksum, s.written_by
from unnest($1::text[], $2::text[]) as f (name, text)
left join counterfoil.definitions_held() s on s.name = f.name
on conflict (name) do update
set text_checksum = excluded.text_checksum, checksum = excluded.checksum, written_by = excluded.written_by
