-- What customers bought, as the backend recorded it.

set local role counterfoil_owner;

-- Orders are updated by each settlement: the fill factor leaves room in the page for the new version of a row, and vacuum
-- comes after 2 % of dead rows and doesn't pause. What never changes is checked by refuse_order.
create table counterfoil.orders (
    -- The backend's own id, unique over all apps.
    order_id text collate "C" not null,
    bundle_id text collate "C" not null constraint order_names_a_known_app references counterfoil.apps (bundle_id),
    product_id text collate "C" not null,
    account_id text collate "C" not null,
    quantity integer not null default 1,
    app_account_token uuid,
    -- The order was made for a payment that came first: its purchase may be older than the order.
    recovery boolean not null default false,
    state text not null default 'open'
        constraint order_state_is_known
        check (state in ('open', 'fulfilled', 'refunded', 'rejected', 'review', 'cancelled')),
    reason text,
    -- The payment that the state is about.
    transaction_id text collate "C",
    environment text constraint order_environment_is_known check (environment in ('production', 'sandbox')),
    -- Attempts of all jobs of the order that counted; jobs.attempt counts those of one job.
    attempts integer not null default 0,
    last_attempt_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    fulfilled_at timestamptz,
    -- The order's own number in this database: jobs, payments, history and the feed name the order by it, in a quarter of the room
    -- that a backend's id may take. Nobody outside is told it. A failover may give the number of an order that was lost to another
    -- one: only claims of that order's jobs may still know it, and the ids of these jobs don't come again (next_job_id).
    number bigint generated always as identity constraint order_numbers_are_unique unique,
    constraint order_ids_are_unique primary key (order_id),
    constraint paid_orders_name_their_transaction
        check (state not in ('fulfilled', 'refunded') or (transaction_id is not null and environment is not null)),
    constraint fulfilled_orders_say_when check (state <> 'fulfilled' or fulfilled_at is not null),
    constraint closed_orders_say_why check (state not in ('rejected', 'review', 'refunded', 'cancelled') or reason is not null)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
comment on table counterfoil.orders is 'What a customer bought. Never deleted; backends insert, and workers, operators and the public functions change it.';
-- A token belongs to one customer, whatever the statistics say: its look-up never reads the table.
alter table counterfoil.orders alter column app_account_token set (n_distinct = -0.5);

-- None of these indexes holds the state: a settlement, which updates it, would have to write all of the table's indexes. The
-- table orders_in_review stands for such an index, and answered_orders for one on the transaction.

-- The orders of an account and product, oldest first. Serves open_orders, orders_for_payment.
create index orders_by_account on counterfoil.orders (account_id, product_id, created_at);
-- The orders of an account, newest first. Serves orders_of, which writes the expression: no other statement can take this index
-- for the one above, which is longer. Neither index has the number: a statement that looks an order up by it, planned while the
-- shop was empty, would read the whole index in place of the row.
create index orders_of_account on counterfoil.orders ((account_id || ''), created_at);
-- The account that a token speaks for: the smallest and the largest of its orders. Serves account_of_token,
-- orders_for_payment.
create index orders_by_app_account_token on counterfoil.orders (app_account_token, account_id) where app_account_token is not null;
-- The orders of a minute. Serves roll_up. Rows come in the order of time: BRIN costs an insert no write-ahead log that can be
-- measured, and an update of an order doesn't touch it.
create index orders_by_time on counterfoil.orders using brin (created_at) with (autosummarize = on);

-- Orders that a payment answered without paying for them: each was refunded, reviewed or rejected for the transaction.
-- settle_orders adds them, and no grant does. settle_payments moves them when a refund, or its reversal, changes what became of the
-- payment; it compares the order, which may have another answer since.
create table counterfoil.answered_orders (
    transaction_id text collate "C" not null,
    order_number bigint not null,
    constraint one_row_an_answer primary key (transaction_id, order_number)
);
comment on table counterfoil.answered_orders is
    'The orders that a payment answered without paying for them: they follow its refund, and the reversal of its refund.';

grant select, insert on counterfoil.answered_orders to counterfoil_worker, counterfoil_support;

grant insert (order_id, bundle_id, product_id, account_id, quantity, app_account_token)
    on counterfoil.orders to counterfoil_backend;
grant select on counterfoil.orders to counterfoil_worker, counterfoil_support;
grant update (state, reason, transaction_id, environment, attempts, last_attempt_at, updated_at, fulfilled_at)
    on counterfoil.orders to counterfoil_worker, counterfoil_support;
