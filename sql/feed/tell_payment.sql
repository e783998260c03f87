-- Tells the feed of a payment that no order has: when it comes to light, and each difference from what was told before. A
-- repetition tells nothing. Whether a payment comes to light, its caller decides (tell_unclaimed).
--
-- - payment_unclaimed, subscription_renewed: the first word of it;
-- - payment_refunded, payment_refund_reversed: what stands of its refunds;
-- - payment_renamed: a period of a subscription is called otherwise, is another account's, or became an order's. Of other payments
--   the order tells.
--
-- The payment is locked, or its original. Idioms: generic plan, offset 0.
create or replace function counterfoil.tell_payment(of_bundle text, of_environment text, of_id text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
    told counterfoil.told_payments;
    was_told boolean;
    state record;
    present_name text;
    present_account text;
    refund_stands boolean;
    renames boolean;
begin
    select t.* into told
    from counterfoil.told_payments t
    where t.transaction_id = of_id and t.bundle_id = of_bundle and t.environment = of_environment;
    was_told := found;
    select p.* into state
    from (
        select s.* from counterfoil.payment_states s
        where s.transaction_id = of_id and s.bundle_id = of_bundle and s.environment = of_environment
        offset 0
    ) p;
    if not found or not was_told and state.state not in ('unclaimed', 'renewal') then
        return;
    end if;
    -- On its way: the refund follows in this database transaction, or the reason is judged anew (settle_payments).
    if state.state = 'unclaimed' and state.reason in ('refunded', 'restored') then
        return;
    end if;
    -- A refund leaves the name.
    present_name := case state.state
        when 'refunded' then 'granted' when 'taken_back' then coalesce(told.name, 'unclaimed') else state.state
    end;
    present_account := coalesce(state.paid_account_id, state.account_id);
    refund_stands := state.is_refunded or state.is_partly_refunded;
    if not was_told then
        insert into counterfoil.changes (kind, transaction_id, environment, bundle_id, reason, share, details)
        values (
            case present_name when 'renewal' then 'subscription_renewed' else 'payment_unclaimed' end, of_id, of_environment,
            of_bundle, state.reason, state.refunded_share,
            -- Whose a period is may come to light later.
            case
                when state.product_kind = 'auto_renewable' and present_account is not null
                    then jsonb_build_object('account_id', present_account)
            end
        );
        insert into counterfoil.told_payments (
            transaction_id, bundle_id, environment, original_transaction_id, purchased_at, name, account_id, share, is_refunded
        )
        values (
            of_id, of_bundle, of_environment, state.original_transaction_id, state.purchased_at, present_name, present_account,
            state.refunded_share, refund_stands
        );
        return;
    end if;

    -- A move is told by itself.
    renames := (told.name, (select n.account_id from counterfoil.account_now(told.account_id) n))
        is distinct from (present_name, present_account);
    -- An import tells nothing: another system has delivered it.
    if renames and not exists (select from counterfoil.imports i where i.database_transaction = pg_current_xact_id()) then
        if state.product_kind = 'auto_renewable' then
            insert into counterfoil.changes (kind, transaction_id, environment, bundle_id, reason, details)
            values (
                'payment_renamed', of_id, of_environment, of_bundle, state.reason,
                jsonb_strip_nulls(
                    jsonb_build_object(
                        'account_id', present_account,
                        'before', jsonb_build_object('name', told.name, 'account_id', told.account_id),
                        'after', jsonb_build_object(
                            'name', present_name, 'account_id', present_account,
                            'order_id', (select o.order_id from counterfoil.orders o where o.number = state.paid_order_number)
                        )
                    ))
            );
        elsif present_name = 'unclaimed' and told.name <> 'unclaimed' then
            insert into counterfoil.changes (kind, transaction_id, environment, bundle_id, reason, share)
            values ('payment_unclaimed', of_id, of_environment, of_bundle, state.reason, state.refunded_share);
        end if;
    end if;
    -- Of what is an order's, the order tells.
    if present_name in ('unclaimed', 'renewal')
        and (told.is_refunded, told.share) is distinct from (refund_stands, state.refunded_share)
    then
        insert into counterfoil.changes (kind, transaction_id, environment, bundle_id, reason, share)
        values (
            case when refund_stands then 'payment_refunded' else 'payment_refund_reversed' end, of_id, of_environment, of_bundle,
            case when state.is_refunded then 'refunded' when refund_stands then 'partly_refunded' end, state.refunded_share
        );
    end if;
    update counterfoil.told_payments t
    set name = present_name, account_id = present_account, share = state.refunded_share, is_refunded = refund_stands,
        xid = pg_current_xact_id()
    where t.transaction_id = of_id and t.bundle_id = of_bundle and t.environment = of_environment;
end
$$;
comment on function counterfoil.tell_payment(text, text, text) is
    'Private: tells the feed of a payment that no order has, and each difference from what was told before.';
grant execute on function counterfoil.tell_payment(text, text, text) to counterfoil_worker;
