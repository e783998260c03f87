-- Keeps the proofs of rejected, reviewed and refunded orders, so that they can be judged again. Each order once in a batch.
--
-- Parameters, an element a proof: $1, $2, $3, $4, $5. And the limits, see KeptProofLimits:
--
-- $6 int4  the latest proofs of an order    $7 int8  bytes of an account and day
--
-- The rules:
--
-- 1. An order keeps its latest proofs, each content once. Content that is shown again counts among the latest.
-- 2. No limit holds for the proof that decides its order, while the order is in review or refunded, nor for one without a
--    verdict: the payment that such a proof shows may be known from nothing else.
-- 3. A proof that takes its account beyond its bytes of the day isn't kept, and drops nothing. A small one counts for 4 KiB, so
--    that an account has at most so many to add up.
--
-- Idioms: array of one, row look-up, lateral look-up, offset 0, materialized.
with shown as materialized (
    select
        u.job_id, u.order_id, o.account_id, u.transaction_id, u.reason, u.proof, o.is_held,
        u.reason not in (
            'app_store_unavailable', 'credential_refused', 'crashed_repeatedly', 'settlement_refused', 'unstorable',
            'discarded_by_operator'
        ) as is_judged,
        sha256(convert_to(u.proof, 'UTF8')) as proof_hash, greatest(octet_length(u.proof), 4096) as bytes,
        o.is_held and o.reason = u.reason and (
            select true from counterfoil.proofs k
            where k.order_id = any (array[u.order_id]) and k.decides_order and k.reason = u.reason
            limit 1
        ) is null as decides_order
    from unnest(
        $1::bigint[], -- job_id
        $2::text[], -- order_id
        $3::text[], -- transaction_id that the client hinted at, or null
        $4::text[], -- proof
        $5::text[] -- reason
    ) as u (job_id, order_id, transaction_id, proof, reason)
    cross join lateral (
        select x.account_id, x.reason, x.state in ('review', 'refunded') as is_held
        from counterfoil.orders x
        where x.order_id = any (array[u.order_id])
        limit 1
    ) as o
), spent as materialized (
    select a.account_id, sum(k.bytes) as bytes
    from (select distinct s.account_id from shown s) a
    cross join lateral (
        select greatest(octet_length(p.proof), 4096) as bytes
        from counterfoil.proofs p
        where p.account_id = any (array[a.account_id]) and p.kept_at > now() - interval '1 day'
        offset 0
    ) k
    group by a.account_id
), kept as materialized (
    select m.*
    from (
        select s.*, sum(s.bytes) over (partition by s.account_id order by s.job_id) as bytes_so_far
        from shown s
    ) m
    where m.decides_order or not m.is_judged
        or (
            select true from counterfoil.proofs k
            where k.order_id = any (array[m.order_id]) and k.proof_hash = m.proof_hash
            limit 1
        )
        or m.bytes_so_far + coalesce((select p.bytes from spent p where p.account_id = m.account_id), 0) <= $7::bigint
), dropped as (
    delete from counterfoil.proofs p
    where p.job_id = any (
        array(
            select k.job_id
            from kept n
            cross join lateral (
                select x.job_id
                from (
                    select p.job_id, p.kept_at, p.is_judged, p.decides_order
                    from counterfoil.proofs p
                    where p.order_id = any (array[n.order_id]) and p.proof_hash <> n.proof_hash
                    offset 0
                ) x
                where x.is_judged and not (x.decides_order and n.is_held)
                order by x.kept_at desc, x.job_id desc
                offset $6::integer - 1
            ) k
        )
    )
)
insert into counterfoil.proofs as p (
    job_id, order_id, account_id, transaction_id, proof, proof_hash, reason, is_judged, decides_order
)
select
    n.job_id, n.order_id, n.account_id, n.transaction_id, n.proof, n.proof_hash, n.reason, n.is_judged, n.decides_order
from kept n
on conflict (order_id, proof_hash) do update
set transaction_id = coalesce(excluded.transaction_id, p.transaction_id),
    reason = case when p.decides_order then p.reason else excluded.reason end,
    is_judged = excluded.is_judged,
    decides_order = p.decides_order or excluded.decides_order,
    kept_at = now()
