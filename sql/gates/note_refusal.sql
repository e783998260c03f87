-- Notes that Apple refused a lane's secret or key for an order's proof, and returns what is known of that credential.
--
-- $1 int4   lane                        $4 text  the proof
-- $2 bytea  digest of the credential    $5 bool  whether Apple needs the credential for this proof
-- $3 text   order
--
-- The refusals before count if they are of the same credential and proof. Calls that began before a refusal say nothing about it.
with gate as materialized (
    select coalesce(g.credential_digest = $2::bytea, false) as is_accepted from counterfoil.gates g where g.lane = $1::integer
), proof as materialized (
    select sha256(convert_to($4::text, 'UTF8')) as hash
), earlier as materialized (
    select
        r.first_refused_at, r.is_of_proof, g.is_accepted and r.is_accepted_since as is_accepted_since,
        case when r.is_last_word then r.stands_since end as stands_since
    from counterfoil.refusal_standings r
    cross join gate g
    cross join proof p
    where r.lane = $1::integer and r.order_id = $3::text and r.credential_digest = $2::bytea and r.proof_hash = p.hash
), others as (
    select
        count(*) as orders, count(distinct r.proof_hash) filter (where r.proof_hash <> p.hash) as proofs,
        min(r.stands_since) as stand_since
    from counterfoil.refusal_standings r
    cross join gate g
    cross join proof p
    where r.lane = $1::integer and r.order_id <> $3::text and r.credential_digest = $2::bytea and not r.is_of_proof
        and r.refused_at > now() - interval '30 days' and (not g.is_accepted or r.is_last_word)
), pruned as (
    delete from counterfoil.credential_refusals r
    where r.refused_at <= now() - interval '30 days' and (r.lane, r.order_id) <> ($1::integer, $3::text)
), noted as (
    insert into counterfoil.credential_refusals as r (lane, order_id, credential_digest, proof_hash, needs_credential)
    select $1::integer, $3::text, $2::bytea, p.hash, $5::boolean from proof p cross join gate
    on conflict (lane, order_id) do update
    set credential_digest = excluded.credential_digest, proof_hash = excluded.proof_hash,
        needs_credential = excluded.needs_credential, refused_at = now(),
        first_refused_at = coalesce((select e.first_refused_at from earlier e), now()),
        is_of_proof = coalesce((select e.is_of_proof or e.is_accepted_since from earlier e), false)
)
select
    g.is_accepted, coalesce(e.is_accepted_since, false) as is_accepted_since,
    1 + least(o.orders, o.proofs)::integer as refused_orders,
    extract(epoch from now() - least(o.stand_since, e.stands_since, now()))::double precision as refused_for,
    extract(epoch from now() - coalesce(e.first_refused_at, now()))::double precision as since_first_refusal,
    exists (
        select from counterfoil.former_credentials f where f.lane = $1::integer and f.credential_digest = $2::bytea
    ) as is_former
from gate g
cross join others o
left join earlier e on true
