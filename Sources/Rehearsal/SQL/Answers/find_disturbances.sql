-- The apps that have a closed gate, and null while a commit waits for a synchronous standby: nobody sees what it wrote.
select distinct g.bundle_id from counterfoil.gates g where g.state = 'closed'
union all
select null
where exists (
    select from pg_stat_activity a where a.wait_event = 'SyncRep' and a.state_change < now() - interval '1 second'
)
