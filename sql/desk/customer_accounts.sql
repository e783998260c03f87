-- Private: other accounts that the same Apple customer was seen with, by the customers that Apple named in an account's latest
-- payments. They are hints for a person: two people may share a phone.

create or replace function counterfoil.customer_accounts(of_account text)
returns table (account_id text, bundle_id text)
language plpgsql stable security definer rows 5 set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
#variable_conflict use_column
begin
    return query
    select distinct n.account_id, f.bundle_id
    from counterfoil.customer_payments(of_account, 50) f
    cross join lateral counterfoil.accounts_of_customer(
        f.bundle_id, f.environment, f.transaction_id, f.original_transaction_id) k
    cross join lateral counterfoil.account_now(k.account_id) n
    where n.account_id <> (select w.account_id from counterfoil.account_now(of_account) w)
    order by 1, 2
    limit 20;
end
$$;
comment on function counterfoil.customer_accounts(text) is 'Private: other accounts that the same Apple customer was seen with.';
grant execute on function counterfoil.customer_accounts(text) to counterfoil_worker, counterfoil_support, counterfoil_reader;
