-- A histogram of latencies is one row, as percentiles are told from it: a row for each bucket took eight times as long to read.
-- A refund that Apple reversed, or that was recorded by mistake, is undone by hand.

-- Accounts of a week are grouped in memory; with 4 MB they are sorted on disk.
do $$
begin
    execute format('alter role counterfoil_reader in database %I set work_mem = ''16MB''', current_database());
end
$$;

set local role counterfoil_owner;

-- Views let go of the tables that are replaced, and are never dropped: others may have been granted them, or built upon them. What
-- they show is put right in the same database transaction or, where further migrations follow, after the last of them.
do $$
declare
    name text;
    columns text;
begin
    foreach name in array array['overview', 'latency', 'latency_by_hour'] loop
        continue when to_regclass('counterfoil.' || name) is null;
        select string_agg(
            format(
                'null::%s%s as %I', format_type(a.atttypid, a.atttypmod),
                case when a.attcollation <> 0 then ' collate ' || a.attcollation::regcollation::text else '' end, a.attname
            ),
            ', ' order by a.attnum
        )
        into columns
        from pg_attribute a
        where a.attrelid = to_regclass('counterfoil.' || name) and a.attnum > 0;
        execute format('create or replace view counterfoil.%I as select %s where false', name, columns);
    end loop;
end
$$;
drop function if exists counterfoil.latency_percentile(integer, bigint, bigint[], smallint[]);

alter table counterfoil.latency_minutes rename to former_latency_minutes;
alter table counterfoil.former_latency_minutes rename constraint latency_minutes_pkey to former_latency_minutes_pkey;
alter table counterfoil.latency_hours rename to former_latency_hours;
alter table counterfoil.former_latency_hours rename constraint latency_hours_pkey to former_latency_hours_pkey;

create table counterfoil.latency_minutes (
    minute timestamptz not null,
    bundle_id text collate "C" not null,
    measure text collate "C" not null
        constraint measure_is_known check (measure in ('pick_up', 'attempt', 'fulfilment')),
    -- Those that hold attempts, in their order: each the index of the highest of latency_bounds that was reached, 0 when none was.
    buckets smallint[] not null,
    -- How many attempts lie in each of them or below it.
    reached bigint[] not null
        constraint every_bucket_is_counted check (cardinality(reached) > 0 and cardinality(reached) = cardinality(buckets)),
    primary key (minute, bundle_id, measure)
);
comment on table counterfoil.latency_minutes is
    'How long it took from the upload to the first claim, from a claim to its end, and from the upload to the grant.';

create table counterfoil.latency_hours (like counterfoil.latency_minutes including all);
alter table counterfoil.latency_hours rename column minute to hour;
comment on table counterfoil.latency_hours is 'The same by the hour.';

insert into counterfoil.latency_minutes (minute, bundle_id, measure, buckets, reached)
select
    r.minute, r.bundle_id, r.measure, array_agg(r.bucket order by r.bucket), array_agg(r.reached order by r.bucket)
from (
    select
        m.minute, m.bundle_id, m.measure, m.bucket,
        (sum(m.attempts) over (partition by m.minute, m.bundle_id, m.measure order by m.bucket))::bigint as reached
    from counterfoil.former_latency_minutes m
) r
group by r.minute, r.bundle_id, r.measure;

insert into counterfoil.latency_hours (hour, bundle_id, measure, buckets, reached)
select
    r.hour, r.bundle_id, r.measure, array_agg(r.bucket order by r.bucket), array_agg(r.reached order by r.bucket)
from (
    select
        h.hour, h.bundle_id, h.measure, h.bucket,
        (sum(h.attempts) over (partition by h.hour, h.bundle_id, h.measure order by h.bucket))::bigint as reached
    from counterfoil.former_latency_hours h
) r
group by r.hour, r.bundle_id, r.measure;

drop table counterfoil.former_latency_minutes, counterfoil.former_latency_hours;

alter table counterfoil.order_events
    drop constraint order_event_kind_is_known,
    add constraint order_event_kind_is_known check (
        kind in (
            'cancelled', 'imported', 'assigned', 'refunded', 'refund_reversed', 'judged_again', 'job_retried',
            'job_discarded', 'job_cancelled'
        )
    );
