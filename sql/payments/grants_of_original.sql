-- The grants of an original transaction that may be of the payment known as `of_id`: by the key that names the original, under its
-- id, or under the id of another transaction of it. Who calls it has looked up `of_id` itself, and tells by is_one_payment which of
-- these are of that payment.
--
-- Part of what calls it, like a view.
create or replace function counterfoil.grants_of_original(of_bundle text, of_environment text, of_id text, of_original text)
returns table (grant_id bigint)
language sql stable
as $$
    select g.id
    from counterfoil.grants g
    where g.bundle_id = of_bundle and g.environment = of_environment and g.grant_key = 'original:' || of_original
    union all
    select t.grant_id
    from counterfoil.transaction_ids t
    where of_id <> of_original and t.bundle_id = of_bundle and t.environment = of_environment
        and t.transaction_id = of_original
    union all
    select g.id
    from counterfoil.grants g
    where g.bundle_id = of_bundle and g.environment = of_environment and g.original_transaction_id = of_original
        and g.grant_key not like 'original:%' and g.transaction_id <> g.original_transaction_id
$$;
comment on function counterfoil.grants_of_original(text, text, text, text) is
    'Private: the grants of an original transaction, by each index that finds one.';
grant execute on function counterfoil.grants_of_original(text, text, text, text) to counterfoil_worker;
