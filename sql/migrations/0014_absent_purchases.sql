-- Since when a job's purchase has been looked for in vain, and what is unclaimed of a payment, which statements ask in one
-- place.

set local role counterfoil_owner;

-- A proof is given up a day after the first look in vain, however long its job was parked before that.
alter table counterfoil.jobs add column missing_since timestamptz;
grant update (missing_since) on counterfoil.jobs to counterfoil_worker;

-- What is unclaimed of a payment, under the id of a transaction and, where restores repeat it under new ids, under any id with
-- the same original transaction. A caller passes that original where it is the payment, else null.
--
-- Part of the statements that call it, like a view. A look-up each ("offset 0"), whatever the planner thinks; rows are told by
-- their places, which nothing moves, for those who delete them.
create function counterfoil.unclaimed_of_payment(of_bundle text, of_environment text, of_id text, of_original text)
returns table (
    place tid, transaction_id text, account_id text, first_seen_at timestamptz, product_kind text, purchased_at timestamptz
)
language sql stable
as $$
    select u.ctid, u.transaction_id, u.account_id, u.first_seen_at, u.product_kind, u.purchased_at
    from counterfoil.unclaimed_transactions u
    where u.bundle_id = of_bundle and u.environment = of_environment and u.transaction_id = of_id
    union all
    select u.ctid, u.transaction_id, u.account_id, u.first_seen_at, u.product_kind, u.purchased_at
    from counterfoil.unclaimed_transactions u
    where u.bundle_id = of_bundle and u.environment = of_environment and u.original_transaction_id = of_original
        and u.reason <> 'renewal'
    offset 0
$$;
comment on function counterfoil.unclaimed_of_payment(text, text, text, text) is
    'Private: what is unclaimed of a payment, under any of its ids.';
grant execute on function counterfoil.unclaimed_of_payment(text, text, text, text) to counterfoil_worker;
