-- Notes that Apple doesn't know a payment that it signed, and returns what is known of the key that asked. A key that found a
-- payment before is right, and nothing is noted.
--
-- $1 int4   lane                        $4 text    transaction id
-- $2 bytea  digest of the key           $5 float8  seconds between two answers that make an account count
-- $3 text   account
with gate as materialized (
    select exists (
        select from counterfoil.gates f where f.bundle_id = g.bundle_id and f.found_credential_digest = $2::bytea
    ) as has_found
    from counterfoil.gates g
    where g.lane = $1::integer
), known as materialized (
    select u.account_id, u.transaction_id, u.first_asked_at, u.asked_at
    from counterfoil.unfound_payments u
    where u.lane = $1::integer and u.credential_digest = $2::bytea and u.asked_at > now() - interval '30 days'
), standing as (
    select k.account_id, k.transaction_id, k.asked_at - k.first_asked_at as asked_for from known k where k.account_id <> $3::text
    union all
    select $3::text, $4::text, now() - coalesce((select k.first_asked_at from known k where k.account_id = $3::text), now())
), pruned as (
    delete from counterfoil.unfound_payments u
    where u.asked_at <= now() - interval '30 days' and (u.lane, u.account_id) <> ($1::integer, $3::text)
), noted as (
    insert into counterfoil.unfound_payments as u (lane, account_id, transaction_id, credential_digest)
    select $1::integer, $3::text, $4::text, $2::bytea from gate g where not g.has_found
    on conflict (lane, account_id) do update
    set transaction_id = excluded.transaction_id, credential_digest = excluded.credential_digest, asked_at = now(),
        first_asked_at = coalesce((select k.first_asked_at from known k where k.account_id = $3::text), now())
)
select
    g.has_found, least(count(*), count(distinct s.transaction_id))::integer as unfound_accounts
from gate g
left join standing s on s.asked_for >= make_interval(secs => $5::double precision)
group by g.has_found
