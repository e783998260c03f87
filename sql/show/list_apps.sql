-- The apps with their policies, and how Apple takes the secrets and keys of each: `at_fault` while a gate is closed for one,
-- `refused` while a refusal is Apple's last word about one, `accepted` once Apple took one. Null: Apple has not judged one yet.
select
    a.bundle_id, a.sandbox_policy, a.sandbox_open_until, a.absent_token_policy, a.ledger_starts_at, a.receipt_route,
    a.confirm_after::text as confirm_after, a.finish_transactions, a.consumption_consented,
    a.sample_content_provided, a.refund_preference, p.products, g.closed_gates,
    case when g.is_at_fault then 'at_fault' when g.is_refused then 'refused' when g.is_accepted then 'accepted' end as credentials
from counterfoil.apps a
cross join lateral (select count(*) as products from counterfoil.products p where p.bundle_id = a.bundle_id) p
cross join lateral (
    select
        count(*) filter (where g.state = 'closed') as closed_gates,
        bool_or(g.closed_by = 'configuration') as is_at_fault,
        bool_or(
            exists (
                select from counterfoil.refusal_standings r
                where r.lane = g.lane and r.is_recent and r.is_last_word and not r.is_of_proof
            )
        ) as is_refused,
        bool_or(g.credential_accepted_at is not null) as is_accepted
    from counterfoil.gates g
    where g.bundle_id = a.bundle_id
) g
order by a.bundle_id
