-- When a period of a subscription ends, by all that is known now; null where nobody knows.
--
-- - Apple's newest word about the transaction counts (period_ends), else what its proof said.
-- - The newest renewal info names the end of the latest period, without its transaction. It is a newer word for the latest period
--   that begins before that end.
-- - A period ends when a period of another product begins that was bought before its end, also if that one was refunded since.
--
-- An end before the beginning of the period, or more than two years after it, is odd, and is no word.
--
-- Grace is no end: subscription_state. Idiom: generic plan. Views call it for their readers.
create or replace function counterfoil.end_of_period(
    of_bundle text, of_environment text, of_original text, of_id text, of_product text, of_purchased_at timestamptz,
    of_expires_at timestamptz
) returns timestamptz
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set jit = off
as $$
declare
    longest constant interval := '2 years';
    ends_at timestamptz;
    told_as_of timestamptz;
    renews_at timestamptz;
    replaced_at timestamptz;
begin
    select w.ends_at, w.as_of into ends_at, told_as_of
    from counterfoil.period_ends w
    where w.transaction_id = of_id and w.bundle_id = of_bundle and w.environment = of_environment;
    if not found and of_expires_at >= of_purchased_at and of_expires_at <= of_purchased_at + longest then
        ends_at := of_expires_at;
    end if;

    select s.renews_at into renews_at
    from counterfoil.subscriptions s
    where s.original_transaction_id = of_original and s.bundle_id = of_bundle and s.environment = of_environment
        and s.renews_at > of_purchased_at and s.renews_at <= of_purchased_at + longest
        and (s.as_of <= told_as_of) is not true;
    if renews_at is not null and (
        select true from counterfoil.payments p
        where p.original_transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
            and p.original_transaction_id <> p.transaction_id and p.transaction_id <> of_id
            and p.purchased_at >= date_trunc('second', of_purchased_at) + interval '1 second' and p.purchased_at < renews_at
        limit 1
    ) is null then
        ends_at := renews_at;
    end if;

    select p.purchased_at into replaced_at
    from counterfoil.payments p
    where p.original_transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
        and p.original_transaction_id <> p.transaction_id and p.purchased_at > of_purchased_at and p.purchased_at < ends_at
        and p.purchased_at <= now() and p.product_id <> of_product
    order by p.purchased_at
    limit 1;
    return coalesce(replaced_at, ends_at);
end
$$;
comment on function counterfoil.end_of_period(text, text, text, text, text, timestamptz, timestamptz) is
    'Private: when a period of a subscription ends, by all that is known now.';
grant execute on function counterfoil.end_of_period(text, text, text, text, text, timestamptz, timestamptz)
    to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
