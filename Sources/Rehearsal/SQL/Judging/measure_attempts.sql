-- How many attempts there were, how they ended, and how long they all took together.
select
    count(*) filter (where a.disposition = 'complete' or a.disposition = 'discard') as jobs,
    count(*) filter (where a.disposition = 'retry') as retries,
    count(*) filter (where a.disposition = 'snooze') as snoozes,
    count(*) filter (where a.disposition = 'release') as releases,
    count(*) filter (where a.disposition = 'rescue') as rescues,
    -- A payment that was shown again: the ledger held it.
    count(*) filter (
        where a.disposition = 'complete'
            and (
                a.reason in ('already_granted', 'already_owned', 'granted_to_another_account')
                or (
                    a.reason is null and a.transaction_id is null and o.state = 'fulfilled'
                    and not (a.proof_kind is null and a.environment is not null)
                    and not exists (select from counterfoil.unclaimed_transactions u where u.order_id = a.order_id)
                )
            )
    ) as duplicates,
    coalesce(extract(epoch from max(a.finished_at) - min(a.submitted_at)), 0)::double precision as seconds,
    -- A follow-up reads no proof, and its lane names an environment.
    count(*) filter (
        where a.disposition = 'complete' and a.proof_kind is null and a.environment is not null
    ) as follow_ups
from counterfoil.attempts a
join counterfoil.orders o on o.order_id = a.order_id
