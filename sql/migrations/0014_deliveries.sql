-- A change of the feed as a value: the argument of a shop's function (counterfoil deliver), and a type for readers of their own.

set local role counterfoil_owner;

-- The columns of changes_since, without next_cursor. Later ones come at the end (alter type … add attribute).
create type counterfoil.change as (
    id bigint,
    at timestamptz,
    kind text,
    order_id text,
    order_version integer,
    account_id text,
    bundle_id text,
    product_id text,
    quantity integer,
    environment text,
    transaction_id text,
    reason text,
    refunded_share numeric,
    original_transaction_id text,
    product_kind text,
    purchased_at timestamptz,
    expires_at timestamptz,
    app_account_token uuid
);
comment on type counterfoil.change is 'A change of the feed, as a shop''s function is given it by counterfoil deliver.';

grant usage on type counterfoil.change to counterfoil_backend, counterfoil_support, counterfoil_reader;
