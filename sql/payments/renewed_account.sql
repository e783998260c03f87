-- The account whose subscription a period renews; null where it renews none. Whatever the product: a plan may change within a
-- subscription.
--
-- Apple says which it is: a purchase renews nothing, and a renewal is one, whatever was refunded before. A receipt doesn't say.
-- Then a period renews if an earlier one ended when it begins, or at most sixty days before, or nobody knows when, and wasn't
-- refunded as a whole before it was bought. PaymentFacts.renews has the same rule for the period that is granted in the same
-- settlement.
--
-- It renews an account's subscription if an earlier period belongs to an account. It is then the account's to which it belongs
-- itself: by its token, else by the other periods (owner_of_period).
--
-- This is how a payment is called that no order claims. It keeps a payment from no order.
--
-- Idioms: generic plan, row look-up. Views call it for their readers.
create or replace function counterfoil.renewed_account(
    of_bundle text, of_environment text, of_original text, of_purchased_at timestamptz, of_expires_at timestamptz, of_reason text,
    of_token uuid
) returns text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set jit = off
as $$
declare
    longest_gap constant interval := '1440 hours';
    longest_period constant interval := '2 years';
    others cursor for
        select p.transaction_id, p.web_order_line_item_id, p.purchased_at, p.expires_at
        from counterfoil.payments p
        where p.original_transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
            and p.original_transaction_id <> p.transaction_id and p.purchased_at < date_trunc('second', of_purchased_at)
        order by p.purchased_at desc;
    period record;
    is_first boolean := false;
    ends_at timestamptz;
    renews boolean := of_reason = 'renewal';
    -- The nearest earlier period: if any earlier one belongs to an account, it does.
    nearest text;
    nearest_ends_at timestamptz;
    own_account text;
    owner text;
begin
    if of_reason = 'purchase' then
        return null;
    end if;
    open others;
    loop
        fetch others into period;
        if not found then
            exit when is_first;
            -- The first purchase is the oldest.
            is_first := true;
            select p.transaction_id, p.web_order_line_item_id, p.purchased_at, p.expires_at into period
            from counterfoil.payments p
            where p.transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
                and p.purchased_at < date_trunc('second', of_purchased_at);
            exit when not found;
        end if;
        ends_at := coalesce(
            (
                select w.ends_at from counterfoil.period_ends w
                where w.transaction_id = period.transaction_id and w.bundle_id = of_bundle and w.environment = of_environment
            ),
            period.expires_at);
        if nearest is null then
            nearest := period.transaction_id;
            nearest_ends_at := ends_at;
        end if;
        exit when renews;
        -- What is bought before the end of a period is another plan. A receipt knows whole seconds.
        renews := coalesce(
                ends_at >= of_purchased_at - longest_gap and ends_at < of_purchased_at + interval '1 second', true
            )
            and (
                select true
                from counterfoil.revocations_in_force r
                where r.original_transaction_id = of_original and r.bundle_id = of_bundle and r.environment = of_environment
                    and r.is_whole and r.occurred_at < of_purchased_at
                    and (
                        r.transaction_id = period.transaction_id
                        or counterfoil.is_one_payment(
                            of_bundle, of_environment, of_original, 'auto_renewable', period.web_order_line_item_id,
                            period.purchased_at, 'auto_renewable', r.web_order_line_item_id, r.purchased_at)
                    )
                limit 1
            ) is null;
        exit when renews or period.purchased_at < of_purchased_at - longest_gap - longest_period;
    end loop;
    close others;
    if nearest is null or renews is not true then
        return null;
    end if;

    if of_token is not null then
        own_account := coalesce(
            counterfoil.account_of_transfer(of_bundle, of_environment, of_original, of_purchased_at, of_reason, of_token),
            (select t.account_id from counterfoil.account_of_token(of_bundle, of_token) t));
    end if;
    owner := counterfoil.owner_of_period(
        of_bundle, of_environment, of_original, of_purchased_at, of_expires_at, of_reason);
    -- A renewal's token speaks for its run, and so for the period before it.
    if owner is null and own_account is not null and of_reason = 'renewal'
        and (of_purchased_at - nearest_ends_at > longest_gap) is not true then
        return own_account;
    end if;
    -- Nothing earlier belongs to anybody, but by a grant that came later.
    if owner is not null and counterfoil.account_of_period(of_bundle, of_environment, nearest) is null then
        return null;
    end if;
    return case when owner is not null then coalesce(own_account, owner) end;
end
$$;
comment on function counterfoil.renewed_account(text, text, text, timestamptz, timestamptz, text, uuid) is
    'Private: the account whose subscription a period renews.';
grant execute on function counterfoil.renewed_account(text, text, text, timestamptz, timestamptz, text, uuid)
    to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
