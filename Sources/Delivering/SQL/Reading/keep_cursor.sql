-- Moves the cursor, and notes what was told. No row: the state is gone.
--
-- safe_at: all that bears an earlier time was told. A database transaction that this cursor doesn't know of has a number from the
-- xmin of its first snapshot on; and a change that was written before a read has a number below that read's next_xid. While the
-- first snapshot sees nothing (changes_from), nothing is known of it.
--
-- $1 text  cursor    $2 int4  changes delivered    $3 int4  changes that failed    $4 timestamptz  read_at    $5 text  next_xid
-- $6 timestamptz  of the latest change    $7 int8[]  the changes that were delivered, or wait
with noted as (
    insert into {pages} (read_at, next_xid, last_at, ids)
    values ($4::timestamptz, $5::text::xid8, $6::timestamptz, $7::bigint[])
)
update {state} s
set cursor = $1::text, delivered = s.delivered + $2::integer,
    failures = case when $2::integer > 0 then 0 else s.failures + $3::integer end,
    safe_at = case
        when split_part($1::text, '/', 2) = '1:1:' then s.safe_at
        else greatest(s.safe_at, (
            select max(r.read_at)
            from (select p.read_at, p.next_xid from {pages} p union all select $4::timestamptz, $5::text::xid8) r
            where r.next_xid <= pg_snapshot_xmin(split_part($1::text, '/', 2)::pg_snapshot)
        ))
    end
returning s.safe_at
