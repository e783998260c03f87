-- Keeps who has access to what somebody else paid for: a family member, or the holder of a seat. No rule of the ledger reads it.
--
-- Of a transaction the text counts that Apple signed last, whenever it comes; of two that were signed at one time, the one that
-- ends the access. Who showed it first has it. A consumable is shared with nobody: where neither Apple nor the shop says of which
-- kind the product is, only what has an end is kept. A sandbox access counts as a sandbox purchase does.
--
-- Parameters, an element a transaction: $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12.
--
-- Idioms: array of one, row look-up.
insert into counterfoil.accesses as a (
    bundle_id, environment, transaction_id, original_transaction_id, product_id, product_kind, ownership, purchased_at, ends_at,
    ended_at, as_of, account_id
)
-- Several proofs of one batch may show one.
select distinct on (e.transaction_id, e.bundle_id, e.environment)
    e.bundle_id, e.environment, e.transaction_id, e.original_transaction_id, e.product_id, coalesce(e.product_kind, l.kind),
    e.ownership, e.purchased_at, e.ends_at, e.ended_at, e.as_of,
    (
        -- Of one batch, and of the row, the first.
        coalesce(
            (
                select x.account_id from counterfoil.accesses x
                where x.transaction_id = e.transaction_id and x.bundle_id = e.bundle_id and x.environment = e.environment
            ),
            max(e.account_id) over (partition by e.transaction_id, e.bundle_id, e.environment))
    )
from unnest(
    $1::text[], -- bundle_id
    $2::text[], -- environment
    $3::text[], -- transaction_id
    $4::text[], -- original_transaction_id
    $5::text[], -- product_id
    $6::text[], -- product_kind, or null
    $7::text[], -- ownership
    $8::timestamptz[], -- purchased_at
    $9::timestamptz[], -- ends_at, or null
    $10::timestamptz[], -- ended_at, or null
    $11::timestamptz[], -- as_of
    $12::text[] -- account_id that showed it, or null
) as e (
    bundle_id, environment, transaction_id, original_transaction_id, product_id, product_kind, ownership, purchased_at, ends_at,
    ended_at, as_of, account_id
)
join counterfoil.apps p on p.bundle_id = any (array[e.bundle_id])
left join lateral (
    select l.kind from counterfoil.products l where l.bundle_id = e.bundle_id and l.product_id = e.product_id offset 0
) l on true
where case
        when coalesce(e.product_kind, l.kind) is null then e.ends_at is not null
        else coalesce(e.product_kind, l.kind) <> 'consumable'
    end
    and (
        e.environment = 'production' or p.sandbox_open_until > now() is true or p.sandbox_policy = 'allow'
        or p.sandbox_policy = 'listed' and (
            select true from counterfoil.sandbox_accounts s
            where s.bundle_id = e.bundle_id and s.account_id = coalesce(
                    (
                        select x.account_id from counterfoil.accesses x
                        where x.transaction_id = e.transaction_id and x.bundle_id = e.bundle_id
                            and x.environment = e.environment
                    ), e.account_id)
        ) is true
    )
order by e.transaction_id, e.bundle_id, e.environment, e.as_of desc, e.ended_at nulls last
on conflict on constraint one_access_a_transaction do update
set account_id = coalesce(a.account_id, excluded.account_id),
    (product_kind, ownership, ends_at, ended_at, as_of) = (
        select
            coalesce(excluded.product_kind, a.product_kind), n.ownership, n.ends_at, n.ended_at, n.as_of
        from (
            values
                (excluded.ownership, excluded.ends_at, excluded.ended_at, excluded.as_of),
                (a.ownership, a.ends_at, a.ended_at, a.as_of)
        ) n (ownership, ends_at, ended_at, as_of)
        order by n.as_of desc, n.ended_at nulls last
        limit 1
    )
where a.account_id is null and excluded.account_id is not null
    or (excluded.as_of, excluded.ended_at is not null) > (a.as_of, a.ended_at is not null)
