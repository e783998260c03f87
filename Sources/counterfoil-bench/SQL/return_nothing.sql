-- In place of close_gate.sql: no gate was closed.
--
-- $1 int4  $2 text  $3 text  $4 text  $5 float8
select 0 where false
