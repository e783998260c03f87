-- The account that a period of a subscription is of because an order of the subscription was transferred; null where none was.
-- Later periods follow the latest one that was transferred, whatever token they inherited. A purchase after it with a token, or one
-- that was granted, begins anew: its token and its order say whose it is.
--
-- The period may be unknown to the ledger, so what the proof says of it are parameters. Idioms: generic plan, row look-up.
create or replace function counterfoil.account_of_transfer(
    of_bundle text, of_environment text, of_original text, of_purchased_at timestamptz, of_reason text, of_token uuid
) returns text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
declare
    moved record;
begin
    select t.order_number, t.purchased_at into moved
    from counterfoil.moved_orders t
    where t.original_transaction_id = of_original and t.bundle_id = of_bundle and t.environment = of_environment
        and t.purchased_at <= of_purchased_at
    order by t.purchased_at desc
    limit 1;
    if not found or of_reason = 'purchase' and of_token is not null and of_purchased_at > moved.purchased_at then
        return null;
    end if;
    if true is not distinct from (
        select true
        from counterfoil.payments p
        where p.original_transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
            and p.original_transaction_id <> p.transaction_id and p.purchased_at > moved.purchased_at
            and p.purchased_at <= of_purchased_at and p.purchase_reason = 'purchase'
            and (p.app_account_token is not null or p.granted_at is not null)
        limit 1
    ) then
        return null;
    end if;
    return (
        select a.account_id from counterfoil.account_now(null, moved.order_number) a where not counterfoil.is_forgotten(a.account_id)
    );
end
$$;
comment on function counterfoil.account_of_transfer(text, text, text, timestamptz, text, uuid) is
    'Private: the account of a period because an order of its subscription was transferred.';
grant execute on function counterfoil.account_of_transfer(text, text, text, timestamptz, text, uuid)
    to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
