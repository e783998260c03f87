-- What still moves: jobs that are available or running, and payments that wait to be taken out of the unclaimed.
select
    (select count(*) from counterfoil.jobs j where j.state <> 'discarded')
    + (
        select count(*)
        from counterfoil.unclaimed_transactions u
        where exists (
            select from counterfoil.transaction_ids t
            where t.bundle_id = u.bundle_id and t.environment = u.environment and t.transaction_id = u.transaction_id
        )
    )
