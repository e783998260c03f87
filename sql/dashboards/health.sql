-- Everything that is about to hurt, and how to mend it; a subject that is well has a row too.
--
-- Old snapshots keep vacuum from removing what settled jobs leave behind, and then claims get slower and slower: it is
-- the first thing to look at.

create or replace view counterfoil.health as
-- Read once: it goes over the catalogues.
with privilege_difference as materialized (
    select d.object, d.role, d.is_missing, d.statement from counterfoil.privilege_differences d
), found as (
    -- Who paid waits for a machine longer than is meant.
    select
        'promise' as subject, case when sum(p.payers) > 0 then 'critical' else 'ok' end as level,
        coalesce(
            string_agg(
                format(
                    '%s by %s, the longest for %s%s', p.payers, p.wait, date_trunc('second', p.longest),
                    coalesce(' (order ' || p.order_id || ')', '')
                ),
                '; ' order by p.longest desc
            ) filter (where p.payers > 0),
            'no payer waits longer than is meant'
        ) as finding,
        'RUNBOOK.md, "Payers wait too long": select * from counterfoil.promise' as mend
    from counterfoil.promise p
    union all
    select
        'oldest snapshot' as subject,
        case
            when s.held_for >= interval '1 hour' or s.transactions_behind > 10000000 then 'critical'
            when s.held_for >= interval '5 minutes' or s.transactions_behind > 1000000 then 'warning'
            else 'ok'
        end as level,
        case
            when s.holder is null then 'nobody holds one'
            else concat_ws(
                ' ', s.holder, 'of process ' || s.pid, 'as ' || s.role,
                'for ' || date_trunc('second', s.held_for), format('(%s transactions behind)', s.transactions_behind)
            )
        end as finding,
        case
            when s.holder like 'replication slot %' then
                'see why its replica lags; select pg_drop_replication_slot(name) gives the replica up'
            when s.holder like 'prepared transaction %' then 'commit prepared or rollback prepared, in its database'
            when s.holder = 'standby' then 'see what runs for long on that standby'
            else 'end that transaction; select pg_terminate_backend(pid) does it by force'
        end as mend
    from (select) as always
    left join lateral (select * from counterfoil.snapshot_holders() limit 1) s on true
    union all
    select
        'dead rows of ' || t.relname,
        case
            when t.unexplained > 50000 and t.unexplained > 2 * t.n_live_tup then 'critical'
            when t.unexplained > 10000 and t.unexplained > 0.5 * t.n_live_tup then 'warning'
            else 'ok'
        end,
        format(
            '%s dead beside %s live, last autovacuum %s', t.n_dead_tup, t.n_live_tup,
            coalesce(date_trunc('second', t.last_autovacuum)::text, 'never')
        ),
        'look at the oldest snapshot; then see whether autovacuum is on and has workers to spare'
    from (
        -- A job that is inserted, claimed and settled leaves two dead rows, and an order one or two. Where vacuum comes as often as
        -- it should, the inserts since the last one explain that many, and one more for a retry.
        select
            s.*,
            s.n_dead_tup - case
                when greatest(s.last_vacuum, s.last_autovacuum) > now() - 3 * current_setting('autovacuum_naptime')::interval
                    then 3 * s.n_ins_since_vacuum
                else 0
            end as unexplained
        from pg_catalog.pg_stat_user_tables s
        where s.schemaname = 'counterfoil' and s.relname in ('jobs', 'orders', 'workers', 'budgets', 'gates', 'roll_up_marks')
    ) t
    union all
    select
        'index ' || i.index_name,
        case when i.bytes > 67108864 and i.bytes > 10 * i.packed_bytes then 'warning' else 'ok' end,
        format('%s, %s times its size if packed', pg_size_pretty(i.bytes), round(i.bytes::numeric / i.packed_bytes, 1)),
        format('reindex index concurrently counterfoil.%I', i.index_name)
    from counterfoil.index_sizes() i
    where i.table_name = 'jobs' or i.bytes > 67108864 and i.bytes > 10 * i.packed_bytes
    union all
    select
        'oldest job',
        case
            when b.waited >= interval '10 minutes' then 'critical'
            when b.waited >= interval '1 minute' then 'warning'
            else 'ok'
        end,
        coalesce('due for ' || date_trunc('second', b.waited), 'nothing is due'),
        'start more workers, or look at the log of those that run'
    from (
        select now() - min(x.oldest_run_at) as waited
        from counterfoil.lane_backlogs x
        join counterfoil.gates y on y.lane = x.lane
        where y.state = 'open' and x.due > 0
    ) b
    union all
    select
        'parked jobs of lane ' || g.lane,
        case when g.closed_by = 'configuration' then 'critical' else 'warning' end,
        format(
            '%s%s wait behind the gate of %s for %s, closed by %s%s', coalesce(b.waiting, 0),
            case when b.waiting = 10000 then ' or more' else '' end, concat_ws(' ', g.route, g.environment), g.bundle_id,
            g.closed_by, coalesce(': ' || g.why, '')
        ),
        case g.closed_by
            when 'configuration'
                then format('mend the credential that the reason names, then: counterfoil gates open %s --why WHY', g.lane)
            when 'operator' then format('counterfoil gates open %s --why WHY', g.lane)
            else 'it opens by itself when Apple answers again'
        end
    from counterfoil.gates g
    left join counterfoil.lane_backlogs b on b.lane = g.lane
    -- A gate that a person closed stays closed until a person opens it, and nothing else says so.
    where g.state = 'closed' and (b.lane is not null or g.closed_by = 'operator')
    union all
    select
        'privileges',
        case when bool_or(d.is_missing) then 'critical' when count(*) > 0 then 'warning' else 'ok' end,
        case
            when count(*) = 0 then 'each role has those that migrate grants'
            else format(
                '%s differ from what migrate grants, such as: %s', count(*),
                (array_agg(d.statement order by d.is_missing desc, d.object, d.role))[1]
            )
        end,
        'counterfoil migrate grants them anew; counterfoil doctor lists all'
    from privilege_difference d
    union all
    -- The first such order counts: its customer has paid, and what refuses one settlement mostly refuses all.
    select
        'refused settlements', case when r.jobs > 0 then 'critical' else 'ok' end,
        case
            when r.jobs = 0 then 'no paid order waits because the database refuses it'
            else format(
                '%s%s paid orders wait: the database refuses them, since %s%s', r.jobs,
                case when r.jobs = 1000 then ' or more' else '' end, coalesce(date_trunc('second', a.since)::text, 'a moment'), coalesce(': ' || a.message, '')
            )
        end,
        case
            when exists (select from privilege_difference d where d.is_missing) then 'counterfoil migrate (see privileges)'
            else 'mend what the message names'
        end
            || ' (RUNBOOK.md, "The database refuses settlements"), then: '
            || 'counterfoil jobs retry --reason settlement_refused --why WHY'
    from (
        select count(*) as jobs, (array_agg(f.order_number order by f.id))[1] as order_number
        from (
            select j.id, j.order_number from counterfoil.jobs j
            where j.reason = 'settlement_refused' and j.state <> 'discarded'
            order by j.id
            limit 1000
        ) f
    ) r
    left join lateral (
        select min(t.finished_at) as since, (array_agg(t.message order by t.finished_at desc))[1] as message
        from counterfoil.attempts t
        where t.order_number = r.order_number and t.reason = 'settlement_refused'
    ) a on true
    union all
    -- What was never Apple's, or is Apple's and our chain rules refuse it.
    select
        'refused notifications' || coalesce(' of ' || r.bundle_id || ' as ' || r.reason, ''),
        case when r.reason is null then 'ok' else 'warning' end,
        case
            when r.reason is null then 'none within a day'
            else format('%s, the last one %s ago', r.refused, date_trunc('second', now() - r.last_at))
        end,
        'RUNBOOK.md, "Notifications stopped": who sends them? If Apple does, counterfoil notifications catch-up brings them back'
    from (select) as always
    left join (
        select * from counterfoil.refused_notifications f where f.last_at > now() - interval '1 day'
    ) r on true
    union all
    -- The shop's address passes on what Apple didn't send, or changes what it sent.
    select
        'unreadable notifications' || coalesce(' as ' || u.kind, ''), case when u.kind is null then 'ok' else 'warning' end,
        case
            when u.kind is null then 'none within a day'
            else format('%s, the last one %s ago', u.refused, date_trunc('second', now() - u.last_at))
        end,
        case u.kind
            when 'version_1' then 'choose version 2 at App Store Connect: version 1 isn''t signed'
            else 'RUNBOOK.md, "Notifications stopped": pass the body of Apple''s request on as it came'
        end
    from (select) as always
    left join (
        select * from counterfoil.unreadable_notifications f where f.last_at > now() - interval '1 day'
    ) u on true
    union all
    -- Apple signed these: a payment or a refund may be in one, and no later one tells of it again.
    select
        'odd notifications', case when o.found = 0 then 'ok' else 'warning' end,
        case
            when o.found = 0 then 'all that Apple signed within a week can be read'
            else format(
                '%s%s within a week can''t be read, the last one %s: %s', o.found, case when o.found = 1000 then ' or more' else '' end,
                o.last_uuid, o.last_message
            )
        end,
        'RUNBOOK.md, "An unreadable notification": counterfoil notifications show ' || o.last_uuid
    from (
        select
            count(*) as found, (array_agg(n.notification_uuid order by n.processed_at desc))[1] as last_uuid,
            (array_agg(n.message order by n.processed_at desc))[1] as last_message
        from (
            select x.notification_uuid, x.processed_at, x.message
            from counterfoil.notifications x
            where x.outcome = 'odd' and x.processed_at > now() - interval '7 days'
            order by x.processed_at desc
            limit 1000
        ) n
    ) o
    union all
    select
        'notifications of unknown apps', case when u.waiting = 0 then 'ok' else 'warning' end,
        case
            when u.waiting = 0 then 'none'
            else format('%s%s of %s', u.waiting, case when u.waiting = 2000 then ' or more' else '' end, u.bundle_ids)
        end,
        'add the app (counterfoil apps add), or take its address away at Apple: they are kept until then'
    from (
        select count(*) as waiting, string_agg(distinct w.bundle_id, ', ') as bundle_ids
        from (
            select n.bundle_id from counterfoil.notifications n where n.outcome is null and not n.is_of_an_app limit 2000
        ) w
    ) u
    union all
    -- An app that never had one is none that lost them.
    select
        'notifications of ' || s.bundle_id || ' in ' || s.environment,
        case when g.grants > 0 then 'warning' else 'ok' end,
        format('the last one (%s) came %s ago', s.last_type, date_trunc('second', now() - s.last_at))
            || case when g.grants > 0 then format(', and %s payments were granted since', g.grants) else '' end,
        'RUNBOOK.md, "Notifications stopped"'
    from counterfoil.notification_silence s
    -- Apple sends one for each purchase, mostly within seconds.
    cross join lateral (
        select coalesce(sum(m.attempts), 0) as grants
        from counterfoil.attempt_minutes m
        where m.minute > s.last_at + interval '10 minutes' and m.minute < now() - interval '1 hour' and m.bundle_id = s.bundle_id
            and m.environment = s.environment and m.outcome = 'fulfilled'
    ) g
    where s.last_at is not null
    union all
    select
        'workers',
        case
            when count(*) filter (where a.state = 'alive') = 0 then 'critical'
            when count(*) filter (where a.state <> 'alive') > 0 then 'warning'
            else 'ok'
        end,
        coalesce(
            format('%s alive', count(*) filter (where a.state = 'alive'))
                || coalesce(
                    '; ' || string_agg(
                        format(
                            '%s %s%s', coalesce(a.name, 'worker ' || a.worker_id), a.state,
                            coalesce(' since ' || date_trunc('second', a.heartbeat_at), '')
                        ),
                        ', ' order by a.worker_id
                    ) filter (where a.state <> 'alive'),
                    ''
                )
        ),
        'start a worker, or see why its unit stopped; the jobs of a silent one are rescued by the others'
    from counterfoil.worker_activity a
    -- One that was killed and started again is the one that lives, once its leases are taken over.
    where not (
        a.state = 'silent' and a.jobs_held = 0 and exists (
            select from counterfoil.workers n
            where n.name = a.name and n.host = a.host and n.id > a.worker_id and n.heartbeat_at >= now() - interval '1 minute'
        )
    )
    union all
    select
        'rejections' || coalesce(' of ' || r.bundle_id || ' as ' || r.reason, ''),
        case
            when r.reason is null then 'ok'
            -- What the ledger or a policy decides: no fault of the proofs.
            when r.reason in (
                'already_granted', 'already_owned', 'granted_to_another_account', 'sandbox_not_allowed', 'family_shared',
                'assigned_seat'
            ) then 'warning'
            else 'critical'
        end,
        case
            when r.reason is null then 'no reason has become more frequent'
            when r.rises_by_hour then format('%s accounts in the last hour, %s in the hour before', r.last_hour, r.hour_before)
            else format('%s accounts in the last 24 hours, %s in the 24 hours before', r.last_day, r.day_before)
        end,
        format(
            'see what a client or the app''s settings changed (RUNBOOK.md, "Rejections rise"); kept proofs are judged anew by: '
                || 'counterfoil jobs retry --reason %s --bundle %s --why WHY', r.reason, r.bundle_id
        )
    from (select) as always
    left join counterfoil.rejected_accounts r on r.rises_by_hour or r.rises_by_day
    union all
    select
        'discarded jobs', case when d.jobs > 0 then 'warning' else 'ok' end,
        format('%s%s were given up', d.jobs, case when d.jobs = 10000 then ' or more' else '' end),
        'counterfoil jobs list --state discarded shows why; counterfoil jobs retry or cancel decides'
    from (
        select count(*) as jobs
        from (select from counterfoil.jobs j where j.state = 'discarded' order by j.reason limit 10000) as few
    ) d
    union all
    select
        'kept proofs', case when p.bytes > 20 * 1073741824::bigint then 'warning' else 'ok' end,
        pg_size_pretty(p.bytes) || ' on the disk',
        'see whose they are (RUNBOOK.md, "Proofs fill the disk"); a shorter COUNTERFOIL_PROOF_RETENTION keeps fewer'
    from (select pg_total_relation_size('counterfoil.proofs'::regclass) as bytes) p
    union all
    select
        'partitions of attempts', case when p.there then 'ok' else 'critical' end,
        case when p.there then 'the next month has one' else 'the next month has none' end,
        'a worker makes it with its next maintenance, or counterfoil migrate, unless somebody reads all of attempts, such as a backup'
    from (
        select to_regclass(
            'counterfoil.other_attempts_' || to_char((now() at time zone 'UTC') + interval '1 month', 'YYYY_MM')
        ) is not null as there
    ) p
    union all
    select
        'counts',
        case when k.counted_to < now() - interval '10 minutes' then 'warning' else 'ok' end,
        'counted up to ' || date_trunc('second', k.counted_to),
        'workers count what happened; is one running?'
    from counterfoil.roll_up_marks k
    union all
    select
        'autovacuum', case when current_setting('autovacuum') = 'on' then 'ok' else 'critical' end,
        current_setting('autovacuum'), 'alter system set autovacuum = on, then select pg_reload_conf()'
    union all
    select
        'transaction ids',
        case
            when age(d.datfrozenxid) > 1500000000 then 'critical'
            when age(d.datfrozenxid) > 1000000000 then 'warning'
            else 'ok'
        end,
        format('%s of 2000 million used', age(d.datfrozenxid) / 1000000 || ' million'),
        'vacuum the tables with the oldest relfrozenxid'
    from pg_catalog.pg_database d
    where d.datname = current_database()
    union all
    -- Read from what was numbered last: a standby can't ask for its epoch.
    select
        'numbers', case when n.share >= 0.9 then 'warning' else 'ok' end,
        format('%s %% of the numbers of changes and jobs used', round(100 * n.share)),
        'RUNBOOK.md, "Numbers come to an end"'
    from (
        select greatest(
            (select coalesce(max(c.id), 0) from counterfoil.changes c) / 9000000000000.0,
            (select coalesce(max(j.id), 0) from counterfoil.jobs j) / 9000000000000000.0
        ) as share
    ) n
    union all
    -- Apple signs a notification when it sends it, mostly within seconds of the event, and again for each purchase. What comes late
    -- is in the minority of twenty.
    select
        'clock',
        case when c.ahead > interval '10 minutes' or c.ahead < interval '-2 minutes' then 'critical' else 'ok' end,
        case
            when c.ahead is null then 'no notification within a day says what time it is'
            when c.ahead > interval '10 minutes' then format(
                'by the newest that Apple signed (%s), the server''s clock is ahead by %s, or Apple''s notifications come so late',
                c.newest, date_trunc('second', c.ahead))
            when c.ahead < interval '-2 minutes' then format(
                'by the newest that Apple signed (%s), the server''s clock is behind by %s', c.newest, date_trunc('second', -c.ahead))
            else format('within %s of Apple''s', date_trunc('second', greatest(c.ahead, -c.ahead)))
        end,
        'RUNBOOK.md, "A wrong clock": orders made meanwhile look newer or older than their purchases'
    from (
        select min(n.received_at - n.signed_at) as ahead, date_trunc('second', max(n.signed_at)) as newest
        from (
            select x.received_at, x.signed_at
            from counterfoil.notifications x
            where x.received_at > now() - interval '1 day' and x.payload is not null
                and x.source = 'push' and x.outcome is not null and x.signed_at is not null
            order by x.received_at desc
            limit 20
        ) n
    ) c
    union all
    select
        'feed', case when f.is_read then 'ok' else 'critical' end,
        case
            when f.is_read then 'its readers are answered'
            else 'nobody is answered (restored_changes_need_a_migration): its changes bear the transaction numbers of another server, '
                || 'since this one was restored, or upgraded by pg_upgrade'
        end,
        'counterfoil migrate; readers then begin anew by their rule of cursor_unknown'
    from (select coalesce((select c.server = counterfoil.feed_server() from counterfoil.feed c), false) as is_read) f
    union all
    -- Whoever listened on the way has the key, too.
    select
        'keys of the gateway', case when k.exposed + k.ending > 0 then 'warning' else 'ok' end,
        case
            when k.exposed > 0 then format('%s came over a network in clear: %s', k.exposed, k.prefixes)
            when k.ending > 0 then format('%s expire within a week, and have no successor: %s', k.ending, k.names)
            else 'none came in clear, and none is about to expire'
        end,
        case
            when k.exposed > 0 then 'counterfoil keys rotate NAME for each, then counterfoil keys revoke --exposed --why WHY'
            else 'counterfoil keys rotate NAME'
        end
    from (
        select
            count(*) filter (where g.state = 'exposed') as exposed,
            string_agg(g.prefix, ', ' order by g.prefix) filter (where g.state = 'exposed') as prefixes,
            count(*) filter (where g.ends_soon) as ending, string_agg(distinct g.name, ', ') filter (where g.ends_soon) as names
        from (
            select
                s.prefix, s.name, s.state,
                max(coalesce(s.expires_at, 'infinity')) over (partition by s.name) < now() + interval '7 days' as ends_soon
            from counterfoil.gateway_key_states s
            where s.state in ('valid', 'exposed')
        ) g
    ) k
    union all
    -- Apple decides without an answer that it doesn't take in time.
    select
        'answers about refunds', case when a.failing + a.lost > 0 then 'warning' else 'ok' end,
        case
            when a.failing + a.lost = 0 then 'none fails'
            else format('%s wait after three failed calls or more, %s of the last day were refused or late', a.failing, a.lost)
        end,
        'counterfoil consumption list --all says why; without the app''s key none is sent: counterfoil doctor'
    from (
        select
            (
                select count(*) from counterfoil.consumption_answers c
                where c.state = 'waiting' and c.attempts >= 3 and c.error is not null
            ) as failing,
            (
                select count(*) from counterfoil.consumption_answers c
                where c.state in ('refused', 'late') and c.ended_at > now() - interval '1 day'
                    -- Answered otherwise since.
                    and not exists (
                        select from counterfoil.consumption_answers o where o.notification_id = c.notification_id and o.id > c.id
                    )
            ) as lost
    ) a
    union all
    select
        'webhook' || coalesce(' ' || w.name, 's'),
        case
            when w.name is null then 'ok'
            when w.off_because <> 'operator' then 'critical'
            when w.state = 'off' or w.state = 'stopped' or w.given_up > 0 or w.lag_seconds > 600 then 'warning'
            else 'ok'
        end,
        case
            when w.name is null then 'there is no endpoint'
            else concat_ws(
                '; ',
                case
                    when w.off_because = 'gone' then 'off since ' || date_trunc('second', w.off_since) || ': it answered 410, and wants no more'
                    when w.off_because = 'failing' then 'off since ' || date_trunc('second', w.off_since) || ': no call was handled for 120 hours'
                    when w.off_because = 'restored' then 'off since the database was restored'
                    when w.off_because = 'operator' then 'off since ' || date_trunc('second', w.off_since) || ', by an operator'
                    when w.failures_in_a_row >= 20
                        then format('%s calls failed in a row, since %s', w.failures_in_a_row, date_trunc('second', w.failing_since))
                    when w.state = 'stopped' then 'reads nothing new: too many events wait'
                end,
                case
                    when w.waiting + w.behind + w.given_up + coalesce(w.unread, 0) = 0 then 'nothing waits'
                    else format(
                        '%s events wait, %s were given up, %s%s aren''t read, the oldest for %s s', w.waiting + w.behind, w.given_up,
                        coalesce(w.unread::text, 'some'), case when w.unread = 1000 then ' or more' else '' end, round(w.lag_seconds)
                    )
                end,
                case
                    when w.last_error_at > coalesce(w.last_handled_at, '-infinity') then 'last error: ' || w.last_error
                end
            )
        end,
        'RUNBOOK.md, "Webhooks wait": counterfoil webhooks show ' || coalesce(w.name, 'NAME')
    from (select) as always
    left join counterfoil.webhook_status w on true
    union all
    select 'replication', r.level, r.finding, r.mend
    from counterfoil.replication r
    union all
    select
        'publication' || coalesce(' ' || f.publication, 's'),
        case when f.publication is null then 'ok' when f.why = 'private' then 'warning' else 'critical' end,
        case
            when f.publication is null then 'none stands in the way of an update'
            when f.why = 'private' then format('it holds %s, which is private: its rows may have another form in the next version', f.table_name)
            else format('it filters the %s of %s, so that the server refuses every update of that table', f.why, f.table_name)
        end,
        -- quote_ident, since format refuses null.
        'alter publication ' || quote_ident(f.publication) || ' drop table counterfoil.' || quote_ident(f.table_name)
    from (select) as always
    left join counterfoil.harmful_publications() f on true
    union all
    -- The server counts them. Settlements go on after one, an order at a time.
    select
        'deadlocks', case when d.deadlocks > 0 and d.deadlocks >= d.hours then 'warning' else 'ok' end,
        format('%s since %s', d.deadlocks, date_trunc('second', d.since)),
        'the server''s log has the statements; select pg_stat_reset() counts anew'
    from (
        select s.deadlocks, t.since, extract(epoch from now() - t.since) / 3600 as hours
        from pg_catalog.pg_stat_database s
        cross join lateral (select coalesce(s.stats_reset, pg_postmaster_start_time()) as since) t
        where s.datname = current_database()
    ) d
)
select f.subject, f.level, f.finding, case when f.level <> 'ok' then f.mend end as mend
from found f
order by case f.level when 'critical' then 1 when 'warning' then 2 else 3 end, f.subject;
comment on view counterfoil.health is
    'What is about to hurt (level ok, warning or critical) and how to mend it: payers who wait too long, old snapshots, dead rows, bloated '
    'indexes, waiting and parked jobs, lost privileges, refused settlements, silent workers, rising rejections, much disk for '
    'kept proofs, missing partitions, used numbers, exposed keys, answers that Apple doesn''t take, replication, harmful publications, deadlocks.';

alter view counterfoil.health owner to counterfoil_owner;
grant select on counterfoil.health to counterfoil_worker, counterfoil_support, counterfoil_reader;
