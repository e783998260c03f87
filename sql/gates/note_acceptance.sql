-- Notes that Apple accepted a lane's secret or key for an order's proof. Earlier refusals for the same order or proof, and those of
-- other credentials, are removed: they say nothing any more. A key that found a payment is right: the payments of the app that it
-- didn't find, or that another key didn't find, are removed. The credential that was accepted before is kept as a former one.
--
-- $1 int4   lane                        $4 text    the proof
-- $2 bytea  digest of the credential    $5 bool    whether Apple needs the credential for this proof
-- $3 text   order                       $6 float8  seconds since the call began
--                                       $7 bool    whether Apple found a payment by it
with found as (
    delete from counterfoil.unfound_payments u
    using counterfoil.gates g
    where $7::boolean and g.lane = u.lane
        and g.bundle_id = (select a.bundle_id from counterfoil.gates a where a.lane = $1::integer)
), former as (
    insert into counterfoil.former_credentials (lane, credential_digest, accepted_at)
    select g.lane, g.credential_digest, g.credential_accepted_at
    from counterfoil.gates g
    where g.lane = $1::integer and g.credential_digest <> $2::bytea
    on conflict (lane, credential_digest) do update set accepted_at = excluded.accepted_at
), gate as (
    update counterfoil.gates g
    set credential_digest = $2::bytea,
        credential_accepted_at = greatest(
            case when g.credential_digest = $2::bytea then g.credential_accepted_at end,
            now() - make_interval(secs => $6::double precision)
        ),
        needed_credential_accepted_at = greatest(
            case when g.credential_digest = $2::bytea then g.needed_credential_accepted_at end,
            case when $5::boolean then now() - make_interval(secs => $6::double precision) end
        ),
        found_credential_digest = case when $7::boolean then $2::bytea else g.found_credential_digest end
    where g.lane = $1::integer
)
delete from counterfoil.credential_refusals r
where r.lane = $1::integer
    and (
        r.order_id = $3::text or r.proof_hash = sha256(convert_to($4::text, 'UTF8')) or r.credential_digest <> $2::bytea
    )
