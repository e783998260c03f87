-- Records that Apple gave payments back, as notifications say it: as of the time for which Apple said so, whatever the ledger knows by now.
-- A revocation that Apple signed earlier doesn't stand any more, even if it is told later (standing_revocations).
--
-- Parameters, an element a reversal: $1, $2, $3, $4, $5.
insert into counterfoil.revocations (bundle_id, environment, transaction_id, original_transaction_id, kind, occurred_at, as_of)
select e.bundle_id, e.environment, e.transaction_id, p.original_transaction_id, 'reversal', e.as_of, e.as_of
from unnest(
    $1::text[], -- bundle_id
    $2::text[], -- environment
    $3::text[], -- transaction_id
    $4::text[], -- original_transaction_id
    $5::timestamptz[] -- as_of
) as e (bundle_id, environment, transaction_id, original_transaction_id, as_of)
-- The ledger's word for the original: a proof may not know it.
cross join lateral (
    select coalesce(max(p.original_transaction_id), e.original_transaction_id) as original_transaction_id
    from counterfoil.payments p
    where p.transaction_id = e.transaction_id and p.bundle_id = e.bundle_id and p.environment = e.environment
    offset 0
) p
order by e.transaction_id, e.bundle_id, e.environment
on conflict do nothing
