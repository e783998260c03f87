-- What customers bought, and what was done to an order by hand.

set local role counterfoil_owner;

create table counterfoil.orders (
    -- The shop's own id, unique over all apps.
    order_id text collate "C" not null
        constraint order_id_has_1_to_200_characters check (length(order_id) between 1 and 200),
    bundle_id text collate "C" not null constraint order_names_a_known_app references counterfoil.apps (bundle_id),
    product_id text collate "C" not null
        constraint ordered_product_id_has_1_to_200_characters check (length(product_id) between 1 and 200),
    account_id text collate "C" not null
        constraint account_id_has_1_to_200_characters check (length(account_id) between 1 and 200),
    quantity integer not null default 1 constraint quantity_is_1_to_10 check (quantity between 1 and 10),
    app_account_token uuid,
    recovery boolean not null default false,
    state text not null default 'open'
        constraint order_state_is_known
        check (state in ('open', 'fulfilled', 'refunded', 'rejected', 'review', 'cancelled')),
    reason text,
    transaction_id text collate "C",
    environment text constraint order_environment_is_known check (environment in ('production', 'sandbox')),
    attempts integer not null default 0,
    last_attempt_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    fulfilled_at timestamptz,
    constraint order_ids_are_unique primary key (order_id),
    constraint paid_orders_name_their_transaction
        check (state not in ('fulfilled', 'refunded') or (transaction_id is not null and environment is not null)),
    constraint fulfilled_orders_say_when check (state <> 'fulfilled' or fulfilled_at is not null),
    constraint closed_orders_say_why check (state not in ('rejected', 'review', 'refunded', 'cancelled') or reason is not null)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
-- Whatever the statistics saw: a token is one customer's, so that looking one up never reads the table.
alter table counterfoil.orders alter column app_account_token set (n_distinct = -0.5);
comment on table counterfoil.orders is 'What a customer bought. Never deleted; settled by workers alone.';

-- Serves open_orders. Not partial: the state in a predicate would make each settlement write the index again.
create index orders_by_account on counterfoil.orders (account_id, product_id, created_at);
-- Serves insert_grants.sql and read_ledger.sql: whose token is it?
create index orders_by_app_account_token on counterfoil.orders (app_account_token) where app_account_token is not null;

create table counterfoil.order_events (
    id bigint generated always as identity primary key,
    order_id text collate "C" not null constraint event_names_a_known_order references counterfoil.orders (order_id),
    occurred_at timestamptz not null default now(),
    kind text not null constraint order_event_kind_is_known check (kind in ('cancelled', 'imported')),
    who text not null default session_user,
    why text not null constraint why_has_1_to_1000_characters check (length(why) between 1 and 1000)
);
comment on table counterfoil.order_events is 'A change to an order that settlement did not make by itself. Append-only.';
create index order_events_by_order on counterfoil.order_events (order_id);

grant insert (order_id, bundle_id, product_id, account_id, quantity, app_account_token)
    on counterfoil.orders to counterfoil_backend;
grant select on counterfoil.orders to counterfoil_worker;
grant update (state, reason, transaction_id, environment, attempts, last_attempt_at, updated_at, fulfilled_at)
    on counterfoil.orders to counterfoil_worker;
grant select on counterfoil.order_events to counterfoil_worker;
