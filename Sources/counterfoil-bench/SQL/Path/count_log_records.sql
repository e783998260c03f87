-- What was written to tables and indexes between two positions of the log, by the log's own records: rows and index entries.
--
-- $1 text  from    $2 text  to
select
    coalesce(sum(r.count) filter (where r.kind ~ '^Heap/INSERT'), 0)::bigint as rows_inserted,
    coalesce(sum(r.count) filter (where r.kind ~ '^Heap/(HOT_)?UPDATE'), 0)::bigint as rows_updated,
    coalesce(sum(r.count) filter (where r.kind ~ '^Heap/HOT_UPDATE'), 0)::bigint as rows_updated_in_their_page,
    coalesce(sum(r.count) filter (where r.kind ~ '^Heap/DELETE'), 0)::bigint as rows_deleted,
    coalesce(sum(r.count) filter (where r.kind ~ '^Heap/LOCK'), 0)::bigint as rows_locked,
    -- An entry for which a page has no room is a part of the page's split.
    coalesce(sum(r.count) filter (where r.kind ~ '^Btree/(INSERT_LEAF|SPLIT_)'), 0)::bigint as index_entries
from (
    select w."resource_manager/record_type" as kind, w.count
    from public.pg_get_wal_stats($1::text::pg_lsn, $2::text::pg_lsn, true) w
) r
