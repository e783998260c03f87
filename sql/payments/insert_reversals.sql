-- Records that revocations were reversed: from now on nothing stands against these payments.
--
-- As late as the latest of them: one may bear a time that the database's clock hasn't reached.
--
-- $1 text[]  bundle ids         $4 text[]  original transaction ids
-- $2 text[]  environments       $5 timestamptz  when
-- $3 text[]  transaction ids
insert into counterfoil.revocations (bundle_id, environment, transaction_id, original_transaction_id, kind, occurred_at, as_of)
select e.bundle_id, e.environment, e.transaction_id, e.original_transaction_id, 'reversal', l.latest, l.latest
from unnest($1::text[], $2::text[], $3::text[], $4::text[])
    as e (bundle_id, environment, transaction_id, original_transaction_id)
cross join lateral (
    select greatest($5::timestamptz, max(r.occurred_at), max(r.as_of)) as latest
    from counterfoil.revocations r
    where r.original_transaction_id = e.original_transaction_id and r.bundle_id = e.bundle_id and r.environment = e.environment
        and r.transaction_id = e.transaction_id
) l
order by e.transaction_id, e.bundle_id, e.environment
on conflict do nothing
