-- The trigger that deliver_by makes: hands over what a statement granted, in the order of its grants.

create or replace function counterfoil.deliver_grants() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    deliveries counterfoil.delivery[];
begin
    if exists (select from counterfoil.imports i where i.database_transaction = pg_current_xact_id()) then
        return null;
    end if;
    -- A granted payment never changes: what was updated and names an order was granted now.
    deliveries := array(
        select
            row(
                g.order_id, g.bundle_id, g.environment, g.transaction_id, g.original_transaction_id, g.product_id, g.product_kind,
                g.quantity, g.account_id, g.app_account_token, g.purchased_at, g.expires_at, g.granted_at
            )::counterfoil.delivery
        from granted g
        where g.order_id is not null
    );
    if cardinality(deliveries) > 0 then
        perform counterfoil.hand_over(tg_argv[0], deliveries);
    end if;
    return null;
end
$$;
