-- The grants whose payment a revocation takes back, as revoked_grants finds them from the side of the grants: known by its id, of
-- its period of a subscription, or of the same payment where restores repeat it. Usually none or one, which may come several
-- times.
--
-- Part of the statements that call it, like a view; a look-up for each call ("offset 0"), whatever the planner thinks.
create or replace function counterfoil.grants_of_revocation(
    of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_purchased_at timestamptz
)
returns table (grant_id bigint)
language sql stable
as $$
    select t.grant_id
    from counterfoil.transaction_ids t
    where t.bundle_id = of_bundle and t.environment = of_environment and t.transaction_id = of_id
    union all
    select g.id
    from counterfoil.grants g
    where g.bundle_id = of_bundle and g.environment = of_environment and g.grant_key = 'web_order:' || of_item
        and g.original_transaction_id = of_original
    union all
    select g.id
    from counterfoil.grants g
    where g.id = any (array(
            select o.grant_id from counterfoil.grants_of_original(of_bundle, of_environment, of_id, of_original) o
        ))
        and counterfoil.is_one_payment(
            g.product_kind, of_bundle, of_environment, of_original, of_item, of_purchased_at, g.web_order_line_item_id,
            g.purchased_at)
    offset 0
$$;
comment on function counterfoil.grants_of_revocation(text, text, text, text, text, timestamptz) is
    'Private: the grants whose payment a revocation takes back.';
grant execute on function counterfoil.grants_of_revocation(text, text, text, text, text, timestamptz) to counterfoil_worker;
