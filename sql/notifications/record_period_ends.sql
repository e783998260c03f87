-- Keeps when periods end, by Apple's newest word. What was said for an earlier time changes nothing, whenever it comes; of two
-- words for one time the later end counts.
--
-- Ends that differ by less than a second are the same: a receipt knows whole seconds. An end before the period's beginning, or more
-- than two years after it, is odd, and is no word. A period that the ledger doesn't hold has none.
--
-- Parameters, an element a period: $1, $2, $3, $4, $5, $6.
--
-- Idioms: row look-up.
insert into counterfoil.period_ends as w (transaction_id, bundle_id, environment, ends_at, as_of)
-- Several proofs of one batch may show one period.
select distinct on (e.transaction_id, e.bundle_id, e.environment)
    e.transaction_id, e.bundle_id, e.environment, e.ends_at, e.as_of
from unnest(
    $1::text[], -- bundle_id
    $2::text[], -- environment
    $3::text[], -- transaction_id
    $4::timestamptz[], -- purchased_at
    $5::timestamptz[], -- ends_at
    $6::timestamptz[] -- as_of
) as e (bundle_id, environment, transaction_id, purchased_at, ends_at, as_of)
where e.ends_at >= e.purchased_at and e.ends_at <= e.purchased_at + interval '2 years'
    and (
        select true from counterfoil.payments p
        where p.transaction_id = e.transaction_id and p.bundle_id = e.bundle_id and p.environment = e.environment
        limit 1
    )
order by e.transaction_id, e.bundle_id, e.environment, e.as_of desc, e.ends_at desc
on conflict on constraint one_end_a_period do update
set ends_at = case
        when w.ends_at - excluded.ends_at < interval '1 second' and excluded.ends_at - w.ends_at < interval '1 second'
            then greatest(w.ends_at, excluded.ends_at)
        when (w.as_of, w.ends_at) < (excluded.as_of, excluded.ends_at) then excluded.ends_at
        else w.ends_at
    end,
    as_of = greatest(w.as_of, excluded.as_of)
where (w.as_of, w.ends_at) < (excluded.as_of, excluded.ends_at)
    or excluded.ends_at > w.ends_at and excluded.ends_at - w.ends_at < interval '1 second'
