-- The account to which a period of a subscription belongs that the ledger holds, by all that is known now; null where nobody knows.
--
-- Its grant says so, else an order that it answered, else an order of its run that was transferred, else its token, else the other
-- periods (owner_of_period). Who only showed it
-- is no owner. Idiom: generic plan. Views call it for their readers.
create or replace function counterfoil.account_of_period(of_bundle text, of_environment text, of_id text) returns text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
declare
    period record;
begin
    select
        p.original_transaction_id, p.purchased_at, coalesce(w.ends_at, p.expires_at) as ends_at, p.purchase_reason,
        p.app_account_token, case
            when p.granted_at is not null
                then (select n.account_id from counterfoil.account_now(p.account_id, p.order_number) n)
        end as granted_to
    into period
    from counterfoil.payments p
    left join counterfoil.period_ends w
        on w.transaction_id = p.transaction_id and w.bundle_id = p.bundle_id and w.environment = p.environment
    where p.transaction_id = of_id and p.bundle_id = of_bundle and p.environment = of_environment;
    return coalesce(
        period.granted_to,
        counterfoil.account_that_was_answered(of_bundle, of_environment, of_id),
        counterfoil.account_of_transfer(
            of_bundle, of_environment, period.original_transaction_id, period.purchased_at, period.purchase_reason,
            period.app_account_token),
        case when period.app_account_token is not null then (
            select t.account_id from counterfoil.account_of_token(of_bundle, period.app_account_token) t
        ) end,
        counterfoil.owner_of_period(
            of_bundle, of_environment, period.original_transaction_id, period.purchased_at, period.ends_at,
            period.purchase_reason));
end
$$;
comment on function counterfoil.account_of_period(text, text, text) is
    'Private: the account to which a period of a subscription belongs, by all that is known now.';
grant execute on function counterfoil.account_of_period(text, text, text)
    to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
