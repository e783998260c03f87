-- Private: a text in which the names of accounts are replaced. A name of fewer than eight characters is replaced as a word: it may
-- be a part of others.
create or replace function counterfoil.without_accounts(of_text text, accounts text[], pseudonym text) returns text
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
declare
    account text;
begin
    for account in select a.name from unnest(accounts) a (name) order by length(a.name) desc loop
        if position(account in of_text) > 0 then
            of_text := case
                when length(account) >= 8 then replace(of_text, account, pseudonym)
                else regexp_replace(
                    of_text, '(?<![[:alnum:]_])' || regexp_replace(account, '([^[:alnum:]])', '\\\1', 'g') || '(?![[:alnum:]_])',
                    pseudonym, 'g')
            end;
        end if;
    end loop;
    return of_text;
end
$$;
comment on function counterfoil.without_accounts(text, text[], text) is 'Private: a text in which the names of accounts are replaced.';
