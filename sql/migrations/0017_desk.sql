-- What people look for: payments that weren't granted, by whatever a customer can name.

set local role counterfoil_owner;

-- No grant of the short path is in these. Serve find_anything, customer_payments.
create index payments_ungranted_by_account on counterfoil.payments (account_id, seen_at)
    where reason is not null and account_id is not null;
create index payments_ungranted_by_token on counterfoil.payments (app_account_token)
    where reason is not null and app_account_token is not null;
-- Other periods are in periods_by_line_item.
create index first_periods_ungranted_by_line_item on counterfoil.payments (web_order_line_item_id)
    where original_transaction_id = transaction_id and web_order_line_item_id is not null and reason is not null;

-- proof_read: somebody took the proof out of the database, to look at it.
alter table counterfoil.order_events drop constraint order_event_kind_is_known;
alter table counterfoil.order_events add constraint order_event_kind_is_known check (
    kind in (
        'cancelled', 'imported', 'assigned', 'refunded', 'refund_reversed', 'judged_again', 'job_retried', 'job_discarded',
        'job_cancelled', 'found', 'proof_read'
    )
);

-- The notifications that led to an order. Serves list_notifications.
create index notifications_by_order on counterfoil.notifications (order_id) where order_id is not null;
