-- The tokens of a subscription's periods that speak for an account (account_of_token), each with that account. Part of
-- owner_of_period. Idiom: generic plan.
--
-- A look-up for each token that differs, however many periods bear it. A subscription has few.
create or replace function counterfoil.tokens_of_subscription(of_bundle text, of_environment text, of_original text)
returns table (token uuid, account_id text)
language plpgsql stable security definer rows 1 set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set jit = off
as $$
#variable_conflict use_column
declare
    first_token uuid;
    last_token uuid;
begin
    select p.app_account_token into first_token
    from counterfoil.payments p
    where p.transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment;
    if first_token is not null then
        return query select first_token, t.account_id from counterfoil.account_of_token(of_bundle, first_token) t;
    end if;
    loop
        if last_token is null then
            select p.app_account_token into last_token
            from counterfoil.payments p
            where p.original_transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
                and p.original_transaction_id <> p.transaction_id and p.app_account_token is not null
            order by p.app_account_token
            limit 1;
        else
            select p.app_account_token into last_token
            from counterfoil.payments p
            where p.original_transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
                and p.original_transaction_id <> p.transaction_id and p.app_account_token is not null
                and p.app_account_token > last_token
            order by p.app_account_token
            limit 1;
        end if;
        exit when not found;
        if last_token is distinct from first_token then
            return query select last_token, t.account_id from counterfoil.account_of_token(of_bundle, last_token) t;
        end if;
    end loop;
end
$$;
comment on function counterfoil.tokens_of_subscription(text, text, text) is
    'Private: the tokens of a subscription that speak for an account.';
grant execute on function counterfoil.tokens_of_subscription(text, text, text)
    to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
