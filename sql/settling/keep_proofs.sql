-- Keeps the proofs of rejected, reviewed and refunded orders, so that they can be judged again. Each order once in a batch.
--
-- Parameters, an element a proof: $1, $2, $3, $4, $5, $6. And the limits, see KeptProofLimits:
--
-- $7 int4  the first of each standing and order       $10 int4  characters of such a proof that are kept, if it is longer
-- $8 int4  the latest of each standing and order      $11 int8  bytes of each standing, account and day
-- $9 int4  bytes of an unknown proof that is whole    $12 int4  bytes that a proof counts for at least
--
-- The rules, in this order:
--
-- 1. A proof that decides its order, and one without a verdict, is kept whole and never dropped. It counts for no account.
-- 2. A proof that the order keeps already is the same row. It is shown again: it counts among the latest.
-- 3. Of each standing, an order keeps the first and the latest. The new proof drops the one between them. So a proof never
--    drops one of another standing.
-- 4. A long unknown proof is cut: its beginning, hash and length are kept.
-- 5. A proof that takes the account beyond its bytes of the day isn't kept, and drops nothing. Dropped proofs count, too: until
--    a vacuum they take the disk. The new proof takes over what they count for.
--
-- The white space in a signed transaction means nothing, and is left out: a padded one is no other proof, and no longer one. In the
-- base64 of one, a space may be a plus.
--
-- Idioms: array of one, row look-up, lateral look-up, offset 0, materialized.
with shown as materialized (
    select
        u.job_id, u.order_id, o.account_id, u.transaction_id, u.reason, o.is_held, s.standing, c.proof,
        sha256(convert_to(c.proof, 'UTF8')) as proof_hash, octet_length(c.proof) as proof_bytes,
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
        $5::text[], -- reason
        $6::text[] -- proof_kind, or null if no reader understood the proof
    ) as u (job_id, order_id, transaction_id, proof, reason, proof_kind)
    cross join lateral (
        select x.account_id, x.reason, x.state in ('review', 'refunded') as is_held
        from counterfoil.orders x
        where x.order_id = any (array[u.order_id])
        limit 1
    ) as o
    cross join lateral (
        select case
            when u.reason in (
                'app_store_unavailable', 'credential_refused', 'crashed_repeatedly', 'settlement_refused', 'unstorable',
                'discarded_by_operator'
            ) then 'unjudged'
            when coalesce(u.proof_kind, 'transaction_id') = 'transaction_id' or u.reason in ('malformed_proof', 'proof_too_large')
                then 'unknown'
            when u.reason in (
                'bad_certificate', 'untrusted_root', 'bad_signature', 'unsupported_environment', 'unsupported_encoding', 'not_authentic',
                'customer_not_found', 'wrong_app'
            ) then 'recognised'
            else 'verified'
        end
    ) as s (standing)
    cross join lateral (
        select case
            -- Faster than translate, by a hundred times.
            when u.proof_kind = 'signed_transaction' and s.standing <> 'unknown' and ltrim(u.proof, E' \t\r\n') like 'eyJ%'
                then replace(replace(replace(replace(u.proof, ' ', ''), E'\t', ''), E'\r', ''), E'\n', '')
            else u.proof
        end
        offset 0
    ) as c (proof)
), going as materialized (
    select b.job_id, b.order_id, case when b.kept_at > now() - interval '1 day' then b.day_bytes else 0 end as day_bytes
    from (
        select
            c.*, row_number() over (partition by c.order_id, c.standing order by c.is_new, c.job_id) as place,
            row_number() over (
                partition by c.order_id, c.standing order by c.is_new desc, c.kept_at desc, c.job_id desc
            ) as place_from_the_end
        from (
            select s.job_id, s.order_id, s.standing, now() as kept_at, 0 as day_bytes, true as is_new, true as is_needed
            from shown s
            union all
            select
                k.job_id, k.order_id, k.standing, k.kept_at, k.day_bytes, false,
                k.standing = 'unjudged' or k.decides_order and s.is_held
            from shown s
            cross join lateral (
                select p.job_id, p.order_id, p.standing, p.kept_at, p.day_bytes, p.decides_order
                from counterfoil.proofs p
                where p.order_id = any (array[s.order_id]) and p.proof_hash <> s.proof_hash
                offset 0
            ) k
        ) c
    ) b
    where not b.is_needed and b.place > $7::integer and b.place_from_the_end > $8::integer
), spent as materialized (
    select a.account_id, k.standing, sum(k.day_bytes) as bytes
    from (select distinct s.account_id from shown s) a
    cross join lateral (
        select p.standing, p.day_bytes
        from counterfoil.proofs p
        where p.account_id = any (array[a.account_id]) and p.kept_at > now() - interval '1 day'
        offset 0
    ) k
    group by a.account_id, k.standing
), measured as (
    select
        s.*, s.decides_order or s.standing = 'unjudged' as is_needed,
        s.standing = 'unknown' and s.proof_bytes > $9::integer as is_long,
        case
            when s.decides_order or s.standing = 'unjudged' then 0
            when s.standing = 'unknown' and s.proof_bytes > $9::integer then greatest($10::integer, $12::integer)
            else greatest(s.proof_bytes, $12::integer)
        end as bytes,
        (
            select true from counterfoil.proofs k
            where k.order_id = any (array[s.order_id]) and k.proof_hash = s.proof_hash
            limit 1
        ) is not null as is_known
    from shown s
), kept as materialized (
    select
        m.job_id, m.order_id, m.account_id, m.transaction_id, m.reason, m.standing, m.decides_order, m.proof_hash, m.proof_bytes,
        case when m.is_long and not m.is_needed then left(m.proof, $10::integer) else m.proof end as proof,
        m.bytes + coalesce((select sum(g.day_bytes) from going g where g.order_id = m.order_id), 0) as day_bytes
    from (
        select x.*, sum(x.bytes) over (partition by x.account_id, x.standing order by x.job_id) as bytes_so_far
        from measured x
    ) m
    where m.is_needed or m.is_known or m.bytes_so_far + coalesce(
        (select p.bytes from spent p where p.account_id = m.account_id and p.standing = m.standing), 0
    ) <= $11::bigint
), dropped as (
    delete from counterfoil.proofs p
    where p.job_id = any (
        array(select g.job_id from going g where g.order_id = any (array(select n.order_id from kept n)))
    )
)
insert into counterfoil.proofs as p (
    job_id, order_id, account_id, transaction_id, proof, proof_hash, proof_bytes, standing, reason, decides_order, day_bytes
)
select
    n.job_id, n.order_id, n.account_id, n.transaction_id, n.proof, n.proof_hash, n.proof_bytes, n.standing, n.reason,
    n.decides_order, n.day_bytes
from kept n
on conflict (order_id, proof_hash) do update
set transaction_id = coalesce(excluded.transaction_id, p.transaction_id),
    proof = case when octet_length(excluded.proof) > octet_length(p.proof) then excluded.proof else p.proof end,
    -- What Apple once stood behind remains that.
    standing = case
        when p.standing = 'verified' and excluded.standing <> 'unjudged' then p.standing else excluded.standing
    end,
    reason = case when p.decides_order then p.reason else excluded.reason end,
    decides_order = p.decides_order or excluded.decides_order,
    kept_at = now()
