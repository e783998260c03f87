-- What is kept of subscriptions beside their payments: when each period ends, by Apple's newest word.

set local role counterfoil_owner;

-- A payment's expires_at is what the proof said that showed or paid it. Apple may say another end since, for instance because it
-- extended the period: the newest word counts, by the time for which Apple said it, never by its arrival.
create table counterfoil.period_ends (
    transaction_id text collate "C" not null,
    bundle_id text collate "C" not null,
    environment text collate "C" not null,
    ends_at timestamptz not null,
    -- signedDate of a signed transaction, the creation date of a receipt, the request date of an answer of verifyReceipt.
    as_of timestamptz not null,
    constraint one_end_a_period primary key (transaction_id, bundle_id, environment)
) with (fillfactor = 90);
comment on table counterfoil.period_ends is 'When each period of a subscription ends, by Apple''s newest word.';
grant select, insert, update on counterfoil.period_ends to counterfoil_worker, counterfoil_support;
grant select on counterfoil.period_ends to counterfoil_reader;

-- Periods that name an account by a grant, or by an order that they answered. Serves owner_of_period.
create index periods_that_name_an_account on counterfoil.payments (original_transaction_id, bundle_id, environment, purchased_at)
    where original_transaction_id <> transaction_id and (granted_at is not null or reason in ('refunded', 'partly_refunded'));
-- Periods with a token, which speaks for its run: each token of a subscription, and its periods. Serves owner_of_period.
create index periods_with_a_token on counterfoil.payments (
    original_transaction_id, bundle_id, environment, app_account_token, purchased_at
)
    where original_transaction_id <> transaction_id and app_account_token is not null;
-- The other names of a period, and no others of its subscription's thousands. Serves names_of_payment, payment_states.
create index periods_by_line_item on counterfoil.payments (web_order_line_item_id, bundle_id, environment)
    where original_transaction_id <> transaction_id and web_order_line_item_id is not null;
