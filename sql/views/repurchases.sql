-- Private, for workers of a former version: payments that were bought again after a refund, with the last refund that came before.
--
-- The payment is looked up first, and most aren't there: a join may begin with all revocations of an app.

create or replace view counterfoil.repurchases as
select b.bundle_id, b.environment, b.transaction_id, b.original_transaction_id, b.refunded_at
from (
    select
        u.bundle_id, u.environment, u.transaction_id, u.original_transaction_id,
        (
            select max(r.occurred_at) from counterfoil.revocations r
            where r.bundle_id = u.bundle_id and r.environment = u.environment
                and r.original_transaction_id = u.original_transaction_id
                and r.transaction_id <> u.transaction_id and r.kind = 'revocation' and r.occurred_at < u.purchased_at
        ) as refunded_at
    from (
        select bundle_id, environment, transaction_id, original_transaction_id, purchased_at
        from counterfoil.unclaimed_transactions
        where product_kind is distinct from 'auto_renewable'
        union all
        select bundle_id, environment, transaction_id, original_transaction_id, purchased_at
        from counterfoil.revoked_unclaimed_transactions
        where product_kind is distinct from 'auto_renewable'
    ) u
) b
where b.refunded_at is not null;
comment on view counterfoil.repurchases is 'Private: payments that were bought again after a refund.';

alter view counterfoil.repurchases owner to counterfoil_owner;
grant select on counterfoil.repurchases to counterfoil_worker;
