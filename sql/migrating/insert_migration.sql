-- Records that a migration was applied.
--
-- $1 int4  number    $2 text  name    $3 text  text of the file    $4 bool  breaking
insert into counterfoil.migrations (id, name, checksum, breaking)
values ($1::integer, $2::text, encode(sha256(convert_to($3::text, 'UTF8')), 'hex'), $4::boolean)
