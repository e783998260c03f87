-- Private: JSON in which the names of accounts are replaced: each member whose value is one.
create or replace function counterfoil.json_without_accounts(of_json jsonb, accounts text[], pseudonym text) returns jsonb
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
declare
    replaced text := of_json::text;
    account text;
begin
    foreach account in array accounts loop
        replaced := replace(replaced, ': ' || to_json(account)::text, ': ' || to_json(pseudonym)::text);
    end loop;
    return replaced::jsonb;
end
$$;
comment on function counterfoil.json_without_accounts(jsonb, text[], text) is 'Private: JSON in which the names of accounts are replaced.';
