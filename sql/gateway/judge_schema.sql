-- Whether a program that knows these migrations can answer: the first that the database lacks, and the first breaking one that the
-- program doesn't know; one row.
--
-- $1 int4[]  migrations
select
    (
        select min(k.id) from unnest($1::integer[]) k (id)
        where not exists (select from counterfoil.migrations m where m.id = k.id)
    ) as lacking,
    (select min(m.name) from counterfoil.migrations m where m.breaking and m.id <> all ($1::integer[])) as newer
