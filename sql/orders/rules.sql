-- The rules by which routines refuse what a backend sends, each with its error: SQLSTATE, table, text and hint. Tables have rules
-- of their own, whose names PostgreSQL puts into the text. docs/rules.md lists these rules for developers; a test compares both.

create or replace view counterfoil.rules as
select r.name, r.code, r.about, r.message, r.hint
from (
    values
        (
            'order_ids_are_unique', '23505', 'orders', 'an order of this id with other content exists',
            'An order never changes: choose another id, or send the content that it was made with.'
        ),
        (
            'job_names_a_known_order', '23503', 'jobs', 'the order of this job is not known',
            'Insert the order first, or call counterfoil.submit.'
        ),
        (
            'job_belongs_to_the_orders_account', '23514', 'jobs', 'the account of this job is not the account of its order',
            'Refuse the upload: only the account of an order uploads proofs for it.'
        ),
        (
            'at_most_20_pending_jobs_an_order', '23514', 'jobs',
            'this order has 20 pending jobs already, or 100 with those whose receipts lack the purchase',
            'Send it again once some are settled.'
        ),
        (
            'at_most_32_mib_of_pending_proofs_an_order', '23514', 'jobs',
            'the pending proofs of this order would have more than 32 MiB', 'Send it again once some are settled.'
        ),
        (
            'event_names_a_known_order', '23503', 'order_events', 'this order is not known',
            'Cancel an order that was inserted, by its id.'
        ),
        (
            'paid_orders_are_not_cancelled', '23514', 'orders', 'a fulfilled or refunded order can not be cancelled',
            'Apple gives the money back; its refund moves the order to refunded.'
        ),
        (
            'notification_has_at_most_256_kib', '23514', 'notifications', 'a notification has at most 256 KiB',
            'Answer 413: it is not Apple''s.'
        ),
        (
            'at_most_2000_unverified_notifications', '53400', 'notifications', '2000 notifications wait to be verified',
            'Answer Apple with 503: it sends it again.'
        ),
        (
            'changes_are_read_from_the_primary', '25006', 'changes', 'changes are read from the primary',
            'Connect with target_session_attrs=read-write.'
        ),
        (
            'restored_changes_need_a_migration', '55000', 'changes',
            'the changes are of another server: this database was restored or copied', 'Run counterfoil migrate.'
        ),
        (
            -- A state of our own: readers know it where a driver shows no name.
            'cursor_unknown', 'ZCU01', 'changes', 'this cursor is not known here',
            'It is cut or of another database, or the server was restored or failed over, or the changes after it were dropped. '
            'Begin anew with counterfoil.changes_from_cursor(cursor), or with counterfoil.changes_from(time).'
        ),
        (
            'numbers_have_ended', '2200H', 'feed', 'the numbers of jobs and changes have ended',
            'An operator: see RUNBOOK.md, "Numbers come to an end".'
        ),
        (
            'page_has_1_to_10000_changes', '22023', 'changes', 'a page has 1 to 10000 changes',
            'Ask for fewer, and go on with next_cursor.'
        ),
        (
            'changes_begin_at_a_time', '22004', 'changes', 'changes_from needs a time',
            '''-infinity'' begins with the oldest change.'
        )
) r (name, code, about, message, hint);

comment on view counterfoil.rules is 'Private: the errors by which routines refuse what a backend sends; refuse raises them.';
