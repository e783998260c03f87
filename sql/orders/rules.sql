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
            'account_id_has_1_to_200_characters', '23514', 'orders', 'an account id has 1 to 200 characters',
            'Send your own id of the customer.'
        ),
        (
            'order_id_has_1_to_200_characters', '23514', 'orders', 'an order id has 1 to 200 characters',
            'Choose another id, such as a UUID.'
        ),
        (
            'ordered_product_id_has_1_to_200_characters', '23514', 'orders', 'a product id has 1 to 200 characters',
            'Send the product id that the app gives to StoreKit.'
        ),
        (
            'quantity_is_1_to_10', '23514', 'orders', 'a quantity is 1 to 10', 'Make an order for each purchase.'
        ),
        (
            'account_was_moved', '23514', 'orders', 'this account was moved to another one',
            'Order by the account that it is now: counterfoil.moved_accounts names it.'
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
            'follow_ups_name_a_transaction', '23514', 'jobs', 'a follow-up has a transaction id',
            'Leave the kind out: follow-ups are the workers''.'
        ),
        (
            'hinted_transaction_id_has_1_to_64_characters', '23514', 'jobs', 'the transaction id of a job has 1 to 64 characters',
            'Send it as StoreKit has it, or null.'
        ),
        (
            'job_kind_is_known', '23514', 'jobs', 'a job of this kind is not known', 'Leave the kind out.'
        ),
        (
            'jobs_have_an_order_or_a_notification', '23514', 'jobs', 'a job has an order or a notification, by its kind',
            'Send the order''s id, and leave the kind out.'
        ),
        (
            'proof_has_1_byte_to_4_mib', '23514', 'jobs', 'a proof has 1 byte to 4 MiB', 'Refuse the upload.'
        ),
        (
            'proofs_are_of_jobs_that_verify', '23514', 'jobs', 'a job that verifies has a proof, and no other has one',
            'Send the proof as the client sent it.'
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
            'transferred_orders_are_known', '23503', 'moves', 'this order is not known', 'Transfer an order that was inserted, by its id.'
        ),
        (
            'transferred_orders_are_paid', '23514', 'moves', 'only an order that was granted a payment is transferred',
            'Cancel the order, and let the other account order.'
        ),
        (
            'moved_accounts_have_orders', '23503', 'moves', 'no order and no payment of the account that is moved is known',
            'See counterfoil customers show, or find.'
        ),
        (
            'moves_lead_elsewhere', '23514', 'moves', 'an account is moved to another one', 'Name two accounts.'
        ),
        (
            'moves_make_no_circle', '23514', 'moves', 'the other account was moved to this one',
            'A move isn''t taken back. Transfer single orders to an account that wasn''t moved.'
        ),
        (
            'forgotten_accounts_are_known', '23503', 'erasures', 'no order and no payment of the account that is forgotten is known',
            'See counterfoil customers show, or find.'
        ),
        (
            'forgotten_accounts_stay_so', '23514', 'erasures', 'this account was forgotten', 'Nothing is left to forget.'
        ),
        (
            'forgotten_accounts_have_no_jobs', '23514', 'erasures', 'jobs of the account''s orders wait, run or were given up',
            'Wait until they are settled; cancel those that were given up with counterfoil jobs cancel.'
        ),
        (
            'moves_are_as_previewed', '23514', 'moves', 'the account''s orders aren''t those that were looked at',
            'Look at them again.'
        ),
        (
            'answered_questions_are_known', '23503', 'consumption_answers', 'Apple asked no such question about a refund',
            'Send the notification_uuid of a row of consumption_request_status.'
        ),
        (
            'questions_are_answered_once', '23514', 'consumption_answers', 'another decision about this question was made',
            'See decision in consumption_request_status.'
        ),
        (
            'answers_come_before_apple_decides', '23514', 'consumption_answers', 'Apple decided about this refund',
            'Nothing is left to answer.'
        ),
        (
            'answers_come_before_the_deadline', '23514', 'consumption_answers', 'the twelve hours for an answer are over',
            'Nothing is left to answer: Apple decides without it.'
        ),
        (
            'answers_need_the_customers_consent', '23514', 'consumption_answers', 'the customer''s consent to an answer is not known',
            'Send customer_consented, or set the app''s default with counterfoil apps add; without consent, decline.'
        ),
        (
            'answers_name_a_delivery_status', '23514', 'consumption_answers', 'the ledger doesn''t know whether this payment was delivered',
            'Send delivery_status.'
        ),
        (
            'periods_have_no_consumed_share', '23514', 'consumption_answers', 'an answer about an auto-renewable subscription has no consumed share',
            'Leave consumed_share out.'
        ),
        (
            'prorated_refunds_need_a_consumed_share', '23514', 'consumption_answers', 'an answer that prefers a prorated refund has a consumed share above 0',
            'Send consumed_share, in percent.'
        ),
        (
            'page_has_1_to_1000_orders', '22023', 'orders', 'a page has 1 to 1000 orders', 'Ask for fewer, and for the next page.'
        ),
        (
            'page_begins_at_an_order_of_the_account', '22023', 'orders', 'the account has no order of this id',
            'Go on before the last order of the page that you have.'
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
