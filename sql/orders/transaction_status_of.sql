-- The row of transaction_status of a transaction, where it is the account's, or no account's: only Apple told of it, or Apple
-- took it back before it was granted. A transaction of another account gives no row, as an unknown one.
--
-- environment may be null: then a transaction of either is found.
--
-- Reasons and idioms are those of order_status_of.

create or replace function counterfoil.transaction_status_of(
    bundle_id text, environment text, transaction_id text, account_id text
) returns setof counterfoil.transaction_status
language plpgsql stable rows 1 set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
#variable_conflict use_column
begin
    return query
    select s.*
    from (
        select w.* from counterfoil.transaction_status w
        where w.transaction_id = transaction_status_of.transaction_id and w.bundle_id = transaction_status_of.bundle_id
            and (transaction_status_of.environment is null or w.environment = transaction_status_of.environment)
        offset 0
    ) s
    cross join lateral counterfoil.account_asked(transaction_status_of.account_id) k
    where coalesce(s.account_id, k.account_id) = k.account_id;
end
$$;
comment on function counterfoil.transaction_status_of(text, text, text, text) is
    'What became of a transaction of the account, or of none, as a row of transaction_status. One of another account gives no row.';

grant execute on function counterfoil.transaction_status_of(text, text, text, text)
    to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
