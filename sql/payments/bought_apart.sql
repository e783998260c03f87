-- Whether a refund of the whole lay between two purchases of one original transaction: it stood when the later one was made, also
-- if it was reversed since. Null when one of the times isn't known. Called by views that backends read.
create or replace function counterfoil.bought_apart(
    of_bundle text, of_environment text, of_original text, one timestamptz, other timestamptz
) returns boolean
language sql stable strict security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
as $$
    select exists (
        select from counterfoil.revocations r
        where r.original_transaction_id = of_original and r.bundle_id = of_bundle and r.environment = of_environment
            and r.share = 100000 and r.occurred_at >= least(one, other) and r.occurred_at < greatest(one, other)
            and not exists (
                select from counterfoil.revocations v
                where v.original_transaction_id = of_original and v.bundle_id = of_bundle and v.environment = of_environment
                    and v.transaction_id = r.transaction_id and v.kind = 'reversal' and v.occurred_at >= r.occurred_at
                    and v.occurred_at < greatest(one, other)
            )
    )
$$;
comment on function counterfoil.bought_apart(text, text, text, timestamptz, timestamptz) is
    'Private: whether a refund lay between two purchases of one original transaction.';
grant execute on function counterfoil.bought_apart(text, text, text, timestamptz, timestamptz)
    to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
