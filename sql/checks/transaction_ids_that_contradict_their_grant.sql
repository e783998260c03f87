-- A grant that isn't known by its own transaction, which could be granted again under another key; or one that is known by
-- an id of another app or environment.
--
-- Both tables are read once each, in any order, and compared by sums of hashes; further ids, which restores bring, are few
-- and looked up. Only when something differs are the tables joined to find the rows.
with ids as (
    select
        coalesce(
            sum(
                hashtextextended(
                    t.transaction_id,
                    hashtextextended(t.environment, hashtextextended(t.bundle_id, hashint8extended(t.grant_id, 0)))
                )
            ), 0
        ) as hash
    from counterfoil.transaction_ids t
), own as (
    select
        coalesce(
            sum(
                hashtextextended(
                    g.transaction_id, hashtextextended(g.environment, hashtextextended(g.bundle_id, hashint8extended(g.id, 0)))
                )
            ), 0
        ) as hash
    from counterfoil.grants g
), further as (
    select
        coalesce(sum(f.hash) filter (where not f.is_own), 0) as hash,
        count(*) filter (where f.is_foreign) as foreign_ids
    from (select t.grant_id from counterfoil.transaction_ids t group by t.grant_id having count(*) > 1) several
    cross join lateral (
        select
            t.transaction_id = g.transaction_id and t.environment = g.environment and t.bundle_id = g.bundle_id as is_own,
            t.environment <> g.environment or t.bundle_id <> g.bundle_id as is_foreign,
            hashtextextended(
                t.transaction_id,
                hashtextextended(t.environment, hashtextextended(t.bundle_id, hashint8extended(t.grant_id, 0)))
            ) as hash
        from counterfoil.transaction_ids t
        join counterfoil.grants g on g.id = t.grant_id
        where t.grant_id = several.grant_id
        -- Idiom: offset 0.
        offset 0
    ) f
)
select g.order_id, g.bundle_id, g.environment, g.transaction_id
from counterfoil.grants g
left join counterfoil.transaction_ids t on t.grant_id = g.id
where (
    select i.hash - f.hash <> o.hash or f.foreign_ids > 0
    from ids i
    cross join own o
    cross join further f
)
group by g.id
having
    bool_or(t.transaction_id = g.transaction_id and t.bundle_id = g.bundle_id and t.environment = g.environment) is not true
    or bool_or(t.bundle_id <> g.bundle_id or t.environment <> g.environment)
limit 100
