-- Says of jobs that they aren't alone (is_alone), where another job of their order runs: a claim took them for that, and was
-- refused.
--
-- Jobs that others have locked are passed over: the next claim that is refused marks them. Leases that ended long ago aren't looked
-- at: while an old snapshot holds vacuum back, the index has an entry for each job that ran since.
--
-- Idioms: the index's own condition ("leases"), stable now(), lock first, array of ids.
with beside as materialized (
    select s.id
    from (
        select j.id, j.order_number
        from counterfoil.jobs j
        where j.lease_expires_at > '-infinity' and j.lease_expires_at > now() - interval '1 minute'
    ) r
    cross join lateral (
        select s.id from counterfoil.jobs s
        where s.order_number = r.order_number and s.id <> r.id and s.is_alone
        limit 100
        for no key update of s skip locked
    ) s
)
update counterfoil.jobs j set is_alone = false where j.id = any (array(select b.id from beside b))
