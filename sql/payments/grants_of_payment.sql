-- The grants that hold a payment: by its id, by its key, or under another key of the same original transaction. Usually none
-- or one, which may come several times.
--
-- A shop may have listed a product as of another kind, or imported a subscription's period without its web order line item id. What
-- was listed as a consumable and shows another original transaction restores or renews that one: then the grant's own kind tells
-- whether they are one payment, and two consumables count as one. Without a kind, only the key tells.
--
-- Part of the statements that call it, like a view; a look-up for each call ("offset 0"), whatever the planner thinks.
create or replace function counterfoil.grants_of_payment(
    of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_kind text, of_purchased_at timestamptz
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
    where (of_kind = 'auto_renewable' or of_kind is null) and g.bundle_id = of_bundle and g.environment = of_environment
        and g.grant_key = 'web_order:' || of_item
    union all
    select g.id
    from counterfoil.grants g
    where g.id = any (array(
            select o.grant_id from counterfoil.grants_of_original(of_bundle, of_environment, of_id, of_original) o
        ))
        and (of_kind is not null or g.grant_key = 'original:' || of_original)
        and (
            coalesce(nullif(of_kind, 'consumable'), g.product_kind) = 'consumable'
            or counterfoil.is_one_payment(
                coalesce(nullif(of_kind, 'consumable'), g.product_kind), of_bundle, of_environment, of_original, of_item,
                of_purchased_at, g.web_order_line_item_id, g.purchased_at)
        )
    offset 0
$$;
comment on function counterfoil.grants_of_payment(text, text, text, text, text, text, timestamptz) is
    'Private: the grants that hold a payment, under any of its ids and keys.';
grant execute on function counterfoil.grants_of_payment(text, text, text, text, text, text, timestamptz) to counterfoil_worker;
