-- Records that revocations were reversed: from now on nothing stands against these payments. What was never revoked is left out.
--
-- A reversal comes after what it reverses: the database's clock may not have reached a revocation's times.
--
-- $1 text[]  bundle ids         $4 text[]  original transaction ids
-- $2 text[]  environments       $5 timestamptz  when
-- $3 text[]  transaction ids
insert into counterfoil.revocations (bundle_id, environment, transaction_id, original_transaction_id, kind, occurred_at, as_of)
select
    e.bundle_id, e.environment, e.transaction_id, e.original_transaction_id, 'reversal', greatest($5::timestamptz, l.occurred_at),
    greatest($5::timestamptz, l.occurred_at, l.as_of)
from unnest($1::text[], $2::text[], $3::text[], $4::text[])
    as e (bundle_id, environment, transaction_id, original_transaction_id)
cross join lateral (
    select max(r.occurred_at) as occurred_at, max(r.as_of) as as_of
    from counterfoil.revocations r
    where r.original_transaction_id = e.original_transaction_id and r.bundle_id = e.bundle_id and r.environment = e.environment
        and r.transaction_id = e.transaction_id
) l
where l.as_of is not null
order by e.transaction_id, e.bundle_id, e.environment
on conflict do nothing
