-- The ledger holds three things: payments, grants and revocations.
--
-- A payment is one thing that a customer paid Apple for. Apple may show it under several transaction ids, its names: a restore, or
-- another device. Each name has a row of payments. A grant is a row that names the order it paid for. A revocation says that Apple
-- took a payment back, or gave it back. Everything else is derived: payment_states.

set local role counterfoil_owner;

-- Whoever writes about a transaction first makes its row, also a refund: the row is the lock that grants and refunds meet at.
--
-- There are no foreign keys. A grant updates its order in the same statement, orders are never removed, and a check compares both.
-- Orders are named by their numbers; the view ledger has their ids.
create table counterfoil.payments (
    -- The id comes first: the others are the same for nearly all rows, so that a look-up compares them once.
    transaction_id text collate "C" not null,
    bundle_id text collate "C" not null,
    environment text collate "C" not null constraint payment_environment_is_known check (environment in ('production', 'sandbox')),
    original_transaction_id text collate "C" not null,
    -- What names share: original:… for what is bought for good, web_order:… for a period of a subscription. Null where the
    -- transaction alone is the payment: a consumable, a purchase made again after a refund, a period that Apple didn't number, or
    -- whose number several payments share.
    payment_key text collate "C" constraint payment_key_names_its_kind check (payment_key ~ '^(original|web_order):.'),
    -- The billing event of a period. Null if Apple named none, and where several payments share the event: additional_reason.
    web_order_line_item_id text collate "C",
    -- Why Apple made several transactions for one period, each with a payment of its own. It is not known of a receipt.
    additional_reason text constraint additional_reason_is_known check (additional_reason in ('seat_addition', 'unknown')),
    -- Who made the purchase, in Apple's word: the customer, or Apple's server when a period ended. Null while no proof said so: a
    -- receipt doesn't.
    purchase_reason text constraint purchase_reason_is_known check (purchase_reason in ('purchase', 'renewal')),
    product_id text collate "C" not null,
    product_kind text
        constraint paid_kind_is_known check (product_kind in ('consumable', 'non_consumable', 'non_renewing', 'auto_renewable')),
    quantity integer not null constraint paid_quantity_is_positive check (quantity > 0),
    purchased_at timestamptz not null,
    -- Where that is another time: a restore of what is bought for good is dated at the restore.
    paid_at timestamptz,
    -- Sold through Apple's Advanced Commerce, whose items and their refunds we don't read. True or null.
    is_advanced_commerce boolean constraint advanced_commerce_is_true_or_null check (is_advanced_commerce),
    expires_at timestamptz,
    app_account_token uuid,
    -- The account and the order whose job showed it first. The account of a granted one is that of its order. Both are null where
    -- only a refund showed it; the order also where the one that it paid for showed it first.
    account_id text collate "C",
    shown_by_number bigint,
    seen_at timestamptz not null default now(),
    -- Why it isn't granted, as last judged: a reason of an order; restored, for another name of a granted payment; refunded.
    -- What became of it since, payment_states tells.
    reason text,
    -- Whether it would pay for a new order of its account, for what was paid: the number of the policy (apps.policy_number) under
    -- which the latest proof of its account was judged so, else null. What the ledger learnt since is asked when it is read.
    fits_under integer,
    -- The grant. It is made once and never changes: refuse_change_of_payment.
    order_number bigint,
    granted_at timestamptz,
    -- Null for a grant by hand, and for one that was imported.
    job_id bigint,
    -- Where the grant was all that its attempt did: the attempt, as the view attempts shows it, which ended at granted_at. Null of
    -- other grants, whose attempts stand in other_attempts. lease_token is null where the attempt isn't here.
    attempt integer,
    lease_token bigint,
    worker_id bigint,
    submitted_at timestamptz,
    claimed_at timestamptz,
    proof_kind text,
    constraint one_grant_a_transaction_id primary key (transaction_id, bundle_id, environment),
    constraint granted_payments_name_their_order check ((order_number is null) = (granted_at is null)),
    constraint granted_payments_are_known
        check (order_number is null or product_kind is not null and account_id is not null),
    constraint ungranted_payments_say_why check ((order_number is null) = (reason is not null))
);
comment on table counterfoil.payments is
    'The ledger: every verified transaction, and the order that it paid for. A grant is never changed or removed.';

-- These guard grants, with the primary key: they make a second grant impossible.
create unique index one_grant_an_order on counterfoil.payments (order_number) where order_number is not null;
create unique index one_grant_a_payment on counterfoil.payments (payment_key, bundle_id, environment)
    where granted_at is not null and payment_key is not null;

-- The names of one original transaction: restores, and periods of a subscription, by the time of purchase. A first purchase is its
-- own original, and is found by its id. Serves names_of_payment, owner_of_period, renewed_account, end_of_period,
-- subscription_state, settle_payments.
create index payments_by_original on counterfoil.payments (original_transaction_id, bundle_id, environment, purchased_at)
    where original_transaction_id <> transaction_id;
-- The payments that an order showed first. Serves unclaimed_for_order, find_payments, order_story, checks/orders_left_behind.
create index payments_ungranted_by_order on counterfoil.payments (shown_by_number) where reason is not null;
-- The latest payments that a person may have to look at. Serves paid_not_delivered, overview.
create index payments_ungranted_by_age on counterfoil.payments (seen_at)
    where reason not in ('renewal', 'restored', 'refunded', 'before_ledger');

-- The plain grants of a minute. Serves attempts, which roll_up reads. Their rows are inserted in the order of time: BRIN costs a
-- grant nothing that can be measured. A payment that was seen before stands among old ones: with its grant in the index, a
-- hundredth of such grants made a minute read the whole ledger.
create index payments_by_plain_grant on counterfoil.payments using brin (granted_at) with (autosummarize = on)
    where lease_token is not null;

grant select, insert on counterfoil.payments to counterfoil_worker, counterfoil_support;
grant update (
    order_number, granted_at, job_id, reason, product_kind, payment_key, account_id, shown_by_number, additional_reason,
    purchase_reason, fits_under, paid_at, is_advanced_commerce,
    -- Only in the update that grants, but for the line item: refuse_change_of_payment.
    web_order_line_item_id, quantity, purchased_at, expires_at, app_account_token
) on counterfoil.payments to counterfoil_worker, counterfoil_support;

-- A lock for all names of a payment that may have several: lock_originals. Consumables have one name, and need none.
create table counterfoil.originals (
    original_transaction_id text collate "C" not null,
    bundle_id text collate "C" not null,
    environment text collate "C" not null,
    constraint one_lock_an_original primary key (original_transaction_id, bundle_id, environment)
);
comment on table counterfoil.originals is 'Locks of payments that may have several names. The rows have no other meaning.';

-- A row lock needs the privilege to update a column.
grant select, insert, update (environment) on counterfoil.originals to counterfoil_worker, counterfoil_support;

create table counterfoil.revocations (
    id bigint generated always as identity primary key,
    transaction_id text collate "C" not null,
    bundle_id text collate "C" not null constraint revocation_names_a_known_app references counterfoil.apps (bundle_id),
    environment text collate "C" not null constraint revocation_environment_is_known check (environment in ('production', 'sandbox')),
    original_transaction_id text collate "C" not null,
    -- The billing event of a subscription's period, the same on all devices and after restores. Null if Apple named none.
    web_order_line_item_id text collate "C",
    kind text not null constraint revocation_kind_is_known check (kind in ('revocation', 'reversal')),
    -- How much of the payment went back, over all refunds of it so far, in thousandths of a percent: 100000 is the whole. Null
    -- where Apple's words don't add up to a share, which never counts as the whole; and for a reversal.
    share integer constraint revoked_share_is_a_part check (share between 1 and 100000),
    -- The word of somebody who knows no share, and says the whole: a receipt, verifyReceipt's answer, an operator. A part that
    -- Apple signed for the same date or a later one outweighs it.
    knows_no_share boolean not null default false,
    -- Seats of a subscription that were refunded, of those that the transaction covers.
    seats integer not null default 0,
    -- Apple's words: revocationType and revocationReason.
    revocation_type text,
    revocation_reason integer,
    -- Apple's date of the refund, or of its reversal.
    occurred_at timestamptz not null,
    -- The time for which Apple said it. Entries of one transaction are ordered by it, never by their arrival.
    as_of timestamptz not null,
    recorded_at timestamptz not null default now(),
    -- Null for a reversal.
    purchased_at timestamptz,
    -- The original comes first: every look-up names it, which stands for all names of a payment. Serves bought_apart,
    -- refunds_before, revocations_in_force.
    constraint one_entry_a_revocation unique nulls not distinct (
        original_transaction_id, transaction_id, bundle_id, environment, as_of, kind, share, seats, web_order_line_item_id
    ),
    constraint reversals_have_no_share check (kind = 'revocation' or share is null and seats = 0)
);
comment on table counterfoil.revocations is
    'Payments that Apple took back, and revocations that it reversed. May precede the grant. Append-only.';

grant select, insert on counterfoil.revocations to counterfoil_worker, counterfoil_support;
