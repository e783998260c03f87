-- The routines and views that aren't those that the last migration made (`replaced`, also where they are dropped), that it made of
-- other texts than this program's (`of_another_version`), or that can't be compared, since they were restored or the server is of
-- another version (`not_compared`). No row when all are as they should be. What others added to the schema under names of their own
-- is theirs.
--
-- $1 text[]  names of the program's files    $2 text[]  their texts
select e.name, e.difference
from (
    select
        coalesce(d.name, f.name) as name,
        case
            when d.name is not null and s.name is null then 'replaced'
            when s.checksum <> d.checksum and coalesce(s.written_by = d.written_by, true) then 'replaced'
            when f.checksum is distinct from d.text_checksum then 'of_another_version'
            when s.written_by <> d.written_by then 'not_compared'
        end as difference
    from counterfoil.definitions d
    full join (
        select t.name, encode(sha256(convert_to(t.text, 'UTF8')), 'hex') as checksum
        from unnest($1::text[], $2::text[]) as t (name, text)
    ) f on f.name = d.name
    left join counterfoil.definitions_held() s on s.name = d.name
) e
where e.difference is not null
order by e.name
