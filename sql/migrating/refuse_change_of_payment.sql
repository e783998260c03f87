-- A grant is made once and never changes, also for the table's owner. What isn't granted may be judged anew, and its kind, its
-- token, its price and terms, who made the purchase, when it was paid, and who showed it, may come to light; so may that several
-- payments share its line item, which it then loses. The grant takes Apple's facts from the proof that pays: a receipt knows the
-- times of a payment to the second only, and not every line item.

create or replace function counterfoil.refuse_change_of_payment() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
    left_over counterfoil.payments := new;
begin
    -- An account is forgotten (forget_account): whose it was leaves, and nothing else.
    left_over.account_id := old.account_id;
    left_over.app_account_token := old.app_account_token;
    left_over.customer_id := old.customer_id;
    if left_over *= old
        and exists (select from counterfoil.erasures e where e.database_transaction = pg_current_xact_id())
    then
        return new;
    end if;
    if old.order_number is not null
        or (
            new.transaction_id, new.bundle_id, new.environment, new.original_transaction_id, new.product_id, new.seen_at,
            -- An attempt stands here only of a payment that was granted as it was inserted.
            new.attempt, new.lease_token, new.worker_id, new.submitted_at, new.claimed_at, new.proof_kind
        ) is distinct from (
            old.transaction_id, old.bundle_id, old.environment, old.original_transaction_id, old.product_id, old.seen_at,
            old.attempt, old.lease_token, old.worker_id, old.submitted_at, old.claimed_at, old.proof_kind
        )
        or old.additional_reason is not null and new.additional_reason is distinct from old.additional_reason
        or new.order_number is null and new.web_order_line_item_id is distinct from old.web_order_line_item_id
        and (new.web_order_line_item_id is not null or new.additional_reason is null)
        or new.order_number is null
        and (
            new.quantity, new.purchased_at, new.expires_at, new.app_account_token, new.price_milliunits, new.currency,
            new.purchase_reason, new.paid_at, new.is_advanced_commerce, new.terms
        ) is distinct from (
            old.quantity, old.purchased_at, old.expires_at, coalesce(old.app_account_token, new.app_account_token),
            coalesce(old.price_milliunits, new.price_milliunits), coalesce(old.currency, new.currency),
            coalesce(old.purchase_reason, new.purchase_reason), coalesce(old.paid_at, new.paid_at),
            coalesce(old.is_advanced_commerce, new.is_advanced_commerce), coalesce(old.terms, new.terms)
        )
    then
        raise exception 'a payment is granted once, and its facts never change'
            using errcode = 'restrict_violation', schema = 'counterfoil', table = 'payments',
                constraint = 'the_ledger_is_append_only';
    end if;
    return new;
end
$$;

select counterfoil.make_trigger('counterfoil.payments', 'payments_keep_their_facts', $$
    before update on counterfoil.payments
    for each row execute function counterfoil.refuse_change_of_payment()
$$);
