-- The status of a transaction that a client still holds unfinished. Look it up by bundle_id and transaction_id.

create or replace view counterfoil.transaction_status as
select
    t.bundle_id,
    t.environment,
    t.transaction_id,
    case when r.revoked then 'revoked' else 'granted' end as status,
    case when r.revoked then 'refunded' end as reason,
    g.order_id,
    g.account_id,
    'finish' as client_action
from (
    select bundle_id, environment, transaction_id, grant_id from counterfoil.transaction_ids
    union all
    select bundle_id, environment, transaction_id, grant_id from counterfoil.restored_transactions
) t
join counterfoil.grants g on g.id = t.grant_id
cross join lateral (
    select exists (
        select from counterfoil.revoked_grants v where v.grant_id = g.id
    ) as revoked
) r
union all
select
    u.bundle_id,
    u.environment,
    u.transaction_id,
    'unclaimed',
    u.reason,
    null,
    u.account_id,
    case u.reason when 'renewal' then 'finish' else 'contact_support' end
from counterfoil.unclaimed_transactions u
union all
select distinct v.bundle_id, v.environment, v.transaction_id, 'revoked', 'refunded', null, null, 'finish'
from (
    select bundle_id, environment, transaction_id from counterfoil.standing_revocations
    union all
    -- Under another id than the one that was taken back.
    select bundle_id, environment, transaction_id from counterfoil.revoked_unclaimed_transactions
) v
where not exists (
    select from counterfoil.transaction_ids t
    where t.bundle_id = v.bundle_id and t.environment = v.environment and t.transaction_id = v.transaction_id
)
and not exists (
    select from counterfoil.restored_transactions t
    where t.bundle_id = v.bundle_id and t.environment = v.environment and t.transaction_id = v.transaction_id
);
comment on view counterfoil.transaction_status is
    'What became of a transaction: granted to which order, unclaimed and why, or revoked; and what the client should do.';

alter view counterfoil.transaction_status owner to counterfoil_owner;
grant select on counterfoil.transaction_status to counterfoil_backend, counterfoil_worker, counterfoil_reader;
