-- Puts payments back among the unclaimed ones that revocations had taken from them, where nothing stands against them any more.
--
-- Their grants come from an import, which knows what another system delivered.
--
-- $1 text[]  bundle ids    $2 text[]  environments    $3 text[]  original transaction ids
with returned as (
    delete from counterfoil.revoked_unclaimed_transactions u
    using unnest($1::text[], $2::text[], $3::text[]) as e (bundle_id, environment, original_transaction_id)
    where u.bundle_id = e.bundle_id and u.environment = e.environment
        and u.original_transaction_id = e.original_transaction_id
        and (
            select true from counterfoil.standing_revocations r
            where r.bundle_id = u.bundle_id and r.environment = u.environment
                and r.original_transaction_id = u.original_transaction_id
                and (
                    r.transaction_id = u.transaction_id or r.web_order_line_item_id = u.web_order_line_item_id
                    or u.product_kind in ('non_consumable', 'non_renewing') and r.occurred_at >= u.purchased_at
                    and (r.bought_again_after >= u.purchased_at) is not true
                )
            limit 1
        ) is null
    returning u.*
)
insert into counterfoil.unclaimed_transactions
select r.*
from returned r
where (
        select true from counterfoil.transaction_ids t
        where t.bundle_id = r.bundle_id and t.environment = r.environment and t.transaction_id = r.transaction_id
        limit 1
    ) is null
    -- As insert_unclaimed_transactions.sql says it; but what was bought again stays so when the first refund was reversed.
    and (
        (
            select true from counterfoil.repurchases p
            where p.bundle_id = r.bundle_id and p.environment = r.environment and p.transaction_id = r.transaction_id
                and p.original_transaction_id = r.original_transaction_id
            limit 1
        )
        or (
            select true from counterfoil.grants g
            where g.bundle_id = r.bundle_id and g.environment = r.environment
                and g.grant_key = case r.product_kind
                    when 'auto_renewable'
                        then coalesce('web_order:' || r.web_order_line_item_id, 'transaction:' || r.transaction_id)
                    else 'original:' || r.original_transaction_id
                end
                -- A grant of what was bought again since is another payment's.
                and (
                    select true from counterfoil.revocations v
                    where r.product_kind is distinct from 'auto_renewable' and v.bundle_id = r.bundle_id
                        and v.environment = r.environment and v.original_transaction_id = r.original_transaction_id
                        and v.kind = 'revocation' and v.occurred_at >= r.purchased_at and v.occurred_at < g.purchased_at
                    limit 1
                ) is null
            limit 1
        ) is null
        and (
            select true from counterfoil.transaction_ids t
            where r.product_kind in ('non_consumable', 'non_renewing') and t.bundle_id = r.bundle_id
                and t.environment = r.environment and t.transaction_id = r.original_transaction_id
            limit 1
        ) is null
    )
on conflict do nothing
