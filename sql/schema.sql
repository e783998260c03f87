-- The schema of a migrated database, as pg_dump writes it, without the bodies of routines and views, which
-- stand in their own files. Generated: SchemaSnapshotTests says how, and keeps it true.

CREATE SCHEMA counterfoil;
ALTER SCHEMA counterfoil OWNER TO counterfoil_owner;

CREATE TYPE counterfoil.change AS (
	id bigint,
	at timestamp with time zone,
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
	purchased_at timestamp with time zone,
	expires_at timestamp with time zone,
	app_account_token uuid,
	details jsonb
);
ALTER TYPE counterfoil.change OWNER TO counterfoil_owner;
COMMENT ON TYPE counterfoil.change IS 'A change of the feed, as a shop''s function is given it by counterfoil deliver.';

CREATE TABLE counterfoil.moved_accounts (
    account_id text NOT NULL COLLATE pg_catalog."C",
    account_now text NOT NULL COLLATE pg_catalog."C",
    moved_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT moved_accounts_are_others CHECK ((account_id <> account_now))
);
ALTER TABLE counterfoil.moved_accounts OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.moved_accounts IS 'Which account a moved one is now.';

CREATE FUNCTION counterfoil.account_asked(of_account text, grace interval DEFAULT '30 days'::interval) RETURNS TABLE(account_id text)
    LANGUAGE sql STABLE
    BEGIN ATOMIC …;
ALTER FUNCTION counterfoil.account_asked(of_account text, grace interval) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.account_asked(of_account text, grace interval) IS 'Private: the account that a backend means by the one that it names.';

CREATE TABLE counterfoil.moved_orders (
    order_number bigint NOT NULL,
    account_id text NOT NULL COLLATE pg_catalog."C",
    original_transaction_id text NOT NULL COLLATE pg_catalog."C",
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    purchased_at timestamp with time zone NOT NULL
);
ALTER TABLE counterfoil.moved_orders OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.moved_orders IS 'Which account a transferred order is of now.';

CREATE FUNCTION counterfoil.account_now(of_account text, of_order bigint DEFAULT NULL::bigint) RETURNS TABLE(account_id text)
    LANGUAGE sql STABLE
    BEGIN ATOMIC …;
ALTER FUNCTION counterfoil.account_now(of_account text, of_order bigint) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.account_now(of_account text, of_order bigint) IS 'Private: whose something is now that was written with an account.';

CREATE FUNCTION counterfoil.account_of_period(of_bundle text, of_environment text, of_id text) RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.account_of_period(of_bundle text, of_environment text, of_id text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.account_of_period(of_bundle text, of_environment text, of_id text) IS 'Private: the account to which a period of a subscription belongs, by all that is known now.';

CREATE FUNCTION counterfoil.bears_one_account(of_bundle text, token uuid, smallest text) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.bears_one_account(of_bundle text, token uuid, smallest text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.bears_one_account(of_bundle text, token uuid, smallest text) IS 'Private: whether all orders that bear a token are of one account now.';

CREATE TABLE counterfoil.orders (
    order_id text NOT NULL COLLATE pg_catalog."C",
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    product_id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    quantity integer DEFAULT 1 NOT NULL,
    app_account_token uuid,
    recovery boolean DEFAULT false NOT NULL,
    state text DEFAULT 'open'::text NOT NULL,
    reason text,
    transaction_id text COLLATE pg_catalog."C",
    environment text,
    attempts integer DEFAULT 0 NOT NULL,
    last_attempt_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    fulfilled_at timestamp with time zone,
    number bigint NOT NULL,
    version integer DEFAULT 0 NOT NULL,
    CONSTRAINT closed_orders_say_why CHECK (((state <> ALL (ARRAY['rejected'::text, 'review'::text, 'refunded'::text, 'cancelled'::text])) OR (reason IS NOT NULL))),
    CONSTRAINT fulfilled_orders_say_when CHECK (((state <> 'fulfilled'::text) OR (fulfilled_at IS NOT NULL))),
    CONSTRAINT order_environment_is_known CHECK ((environment = ANY (ARRAY['production'::text, 'sandbox'::text]))),
    CONSTRAINT order_state_is_known CHECK ((state = ANY (ARRAY['open'::text, 'fulfilled'::text, 'refunded'::text, 'rejected'::text, 'review'::text, 'cancelled'::text]))),
    CONSTRAINT paid_orders_name_their_transaction CHECK (((state <> ALL (ARRAY['fulfilled'::text, 'refunded'::text])) OR ((transaction_id IS NOT NULL) AND (environment IS NOT NULL))))
)
WITH (fillfactor='50', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_cost_delay='0');
ALTER TABLE ONLY counterfoil.orders ALTER COLUMN app_account_token SET (n_distinct=-0.5);
ALTER TABLE counterfoil.orders OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.orders IS 'What a customer bought. Never deleted; backends insert, and workers, operators and the public functions change it.';

CREATE FUNCTION counterfoil.account_of_token(of_bundle text, token uuid) RETURNS TABLE(account_id text)
    LANGUAGE sql STABLE
    BEGIN ATOMIC …;
ALTER FUNCTION counterfoil.account_of_token(of_bundle text, token uuid) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.account_of_token(of_bundle text, token uuid) IS 'Private: the account that an app account token speaks for.';

CREATE FUNCTION counterfoil.account_of_transfer(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, of_reason text, of_token uuid) RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.account_of_transfer(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, of_reason text, of_token uuid) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.account_of_transfer(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, of_reason text, of_token uuid) IS 'Private: the account of a period because an order of its subscription was transferred.';

CREATE FUNCTION counterfoil.account_that_was_answered(of_bundle text, of_environment text, of_id text) RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.account_that_was_answered(of_bundle text, of_environment text, of_id text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.account_that_was_answered(of_bundle text, of_environment text, of_id text) IS 'Private: the account whose order a payment answered without paying for it.';

CREATE FUNCTION counterfoil.accounts_of(of_account text) RETURNS TABLE(account_id text)
    LANGUAGE sql STABLE
    BEGIN ATOMIC …;
ALTER FUNCTION counterfoil.accounts_of(of_account text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.accounts_of(of_account text) IS 'Private: an account, and those that were moved to it.';

CREATE TABLE counterfoil.payments (
    transaction_id text NOT NULL COLLATE pg_catalog."C",
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    original_transaction_id text NOT NULL COLLATE pg_catalog."C",
    payment_key text COLLATE pg_catalog."C",
    web_order_line_item_id text COLLATE pg_catalog."C",
    additional_reason text,
    purchase_reason text,
    product_id text NOT NULL COLLATE pg_catalog."C",
    product_kind text,
    quantity integer NOT NULL,
    purchased_at timestamp with time zone NOT NULL,
    paid_at timestamp with time zone,
    is_advanced_commerce boolean,
    expires_at timestamp with time zone,
    app_account_token uuid,
    account_id text COLLATE pg_catalog."C",
    shown_by_number bigint,
    seen_at timestamp with time zone DEFAULT now() NOT NULL,
    reason text,
    fits_under integer,
    order_number bigint,
    granted_at timestamp with time zone,
    job_id bigint,
    attempt integer,
    lease_token bigint,
    worker_id bigint,
    submitted_at timestamp with time zone,
    claimed_at timestamp with time zone,
    proof_kind text,
    price_milliunits bigint,
    currency text,
    customer_id text COLLATE pg_catalog."C",
    terms jsonb,
    CONSTRAINT additional_reason_is_known CHECK ((additional_reason = ANY (ARRAY['seat_addition'::text, 'unknown'::text]))),
    CONSTRAINT advanced_commerce_is_true_or_null CHECK (is_advanced_commerce),
    CONSTRAINT granted_payments_are_known CHECK (((order_number IS NULL) OR ((product_kind IS NOT NULL) AND (account_id IS NOT NULL)))),
    CONSTRAINT granted_payments_name_their_order CHECK (((order_number IS NULL) = (granted_at IS NULL))),
    CONSTRAINT paid_kind_is_known CHECK ((product_kind = ANY (ARRAY['consumable'::text, 'non_consumable'::text, 'non_renewing'::text, 'auto_renewable'::text]))),
    CONSTRAINT paid_quantity_is_positive CHECK ((quantity > 0)),
    CONSTRAINT payment_environment_is_known CHECK ((environment = ANY (ARRAY['production'::text, 'sandbox'::text]))),
    CONSTRAINT payment_key_names_its_kind CHECK ((payment_key ~ '^(original|web_order):.'::text)),
    CONSTRAINT purchase_reason_is_known CHECK ((purchase_reason = ANY (ARRAY['purchase'::text, 'renewal'::text]))),
    CONSTRAINT ungranted_payments_say_why CHECK (((order_number IS NULL) = (reason IS NOT NULL)))
);
ALTER TABLE counterfoil.payments OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.payments IS 'The ledger: every verified transaction, and the order that it paid for. A grant is never changed or removed.';

CREATE FUNCTION counterfoil.accounts_of_customer(of_bundle text, of_environment text, of_id text, of_original text) RETURNS TABLE(account_id text)
    LANGUAGE sql STABLE
    BEGIN ATOMIC …;
ALTER FUNCTION counterfoil.accounts_of_customer(of_bundle text, of_environment text, of_id text, of_original text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.accounts_of_customer(of_bundle text, of_environment text, of_id text, of_original text) IS 'Private: the accounts that Apple''s customer was seen with.';

CREATE FUNCTION counterfoil.bought_apart(of_bundle text, of_environment text, of_original text, one timestamp with time zone, other timestamp with time zone) RETURNS boolean
    LANGUAGE sql STABLE STRICT SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.bought_apart(of_bundle text, of_environment text, of_original text, one timestamp with time zone, other timestamp with time zone) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.bought_apart(of_bundle text, of_environment text, of_original text, one timestamp with time zone, other timestamp with time zone) IS 'Private: whether a refund lay between two purchases of one original transaction.';

CREATE FUNCTION counterfoil.client_action(state text, reason text, pending text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC …;
ALTER FUNCTION counterfoil.client_action(state text, reason text, pending text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.client_action(state text, reason text, pending text) IS 'Private: what the client should do, by the order alone: wait, finish, upload_proof, resend_proof or contact_support.';

CREATE FUNCTION counterfoil.end_of_period(of_bundle text, of_environment text, of_original text, of_id text, of_product text, of_purchased_at timestamp with time zone, of_expires_at timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.end_of_period(of_bundle text, of_environment text, of_original text, of_id text, of_product text, of_purchased_at timestamp with time zone, of_expires_at timestamp with time zone) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.end_of_period(of_bundle text, of_environment text, of_original text, of_id text, of_product text, of_purchased_at timestamp with time zone, of_expires_at timestamp with time zone) IS 'Private: when a period of a subscription ends, by all that is known now.';

CREATE FUNCTION counterfoil.is_one_payment(of_bundle text, of_environment text, of_original text, one_kind text, one_item text, one_purchased_at timestamp with time zone, other_kind text, other_item text, other_purchased_at timestamp with time zone) RETURNS boolean
    LANGUAGE sql STABLE
    BEGIN ATOMIC …;
ALTER FUNCTION counterfoil.is_one_payment(of_bundle text, of_environment text, of_original text, one_kind text, one_item text, one_purchased_at timestamp with time zone, other_kind text, other_item text, other_purchased_at timestamp with time zone) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.is_one_payment(of_bundle text, of_environment text, of_original text, one_kind text, one_item text, one_purchased_at timestamp with time zone, other_kind text, other_item text, other_purchased_at timestamp with time zone) IS 'Private: whether two transactions of one original, under different ids, are one payment.';

CREATE FUNCTION counterfoil.next_job_id() RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.next_job_id() OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.next_job_id() IS 'Private: the id of a new job.';

CREATE FUNCTION counterfoil.payment_elsewhere(o counterfoil.orders) RETURNS TABLE(transaction_id text, product_id text, quantity integer, is_granted boolean)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.payment_elsewhere(o counterfoil.orders) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.payment_elsewhere(o counterfoil.orders) IS 'Private: a payment that was shown for an order, and that another order of the account has, or may have.';

CREATE FUNCTION counterfoil.renewed_account(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, of_expires_at timestamp with time zone, of_reason text, of_token uuid) RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.renewed_account(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, of_expires_at timestamp with time zone, of_reason text, of_token uuid) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.renewed_account(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, of_expires_at timestamp with time zone, of_reason text, of_token uuid) IS 'Private: the account whose subscription a period renews.';

CREATE FUNCTION counterfoil.uploads_are_unreadable(order_id text, attempts integer, last_attempt_at timestamp with time zone, uploads integer DEFAULT 5, period interval DEFAULT '01:00:00'::interval, most integer DEFAULT 200) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.uploads_are_unreadable(order_id text, attempts integer, last_attempt_at timestamp with time zone, uploads integer, period interval, most integer) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.uploads_are_unreadable(order_id text, attempts integer, last_attempt_at timestamp with time zone, uploads integer, period interval, most integer) IS 'Private: whether an order''s uploads were unreadable so often that the client should send no more.';

CREATE TABLE counterfoil.gates (
    lane integer NOT NULL,
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    route text NOT NULL,
    environment text,
    state text DEFAULT 'open'::text NOT NULL,
    closed_by text,
    closed_for text,
    why text,
    closed_at timestamp with time zone,
    opened_at timestamp with time zone,
    probe_at timestamp with time zone,
    probe_until timestamp with time zone,
    failed_probes integer DEFAULT 0 NOT NULL,
    credential_digest bytea,
    credential_accepted_at timestamp with time zone,
    needed_credential_accepted_at timestamp with time zone,
    found_credential_digest bytea,
    CONSTRAINT accepted_credentials_have_a_time CHECK (((credential_digest IS NULL) = (credential_accepted_at IS NULL))),
    CONSTRAINT closed_gates_say_who_closed_them CHECK (((state = 'closed'::text) = (closed_by IS NOT NULL))),
    CONSTRAINT closer_is_known CHECK ((closed_by = ANY (ARRAY['breaker'::text, 'budget'::text, 'configuration'::text, 'operator'::text]))),
    CONSTRAINT credential_digest_has_32_bytes CHECK ((octet_length(credential_digest) = 32)),
    CONSTRAINT found_credential_digest_has_32_bytes CHECK ((octet_length(found_credential_digest) = 32)),
    CONSTRAINT gate_environment_is_known CHECK ((environment = ANY (ARRAY['production'::text, 'sandbox'::text]))),
    CONSTRAINT gate_state_is_known CHECK ((state = ANY (ARRAY['open'::text, 'closed'::text]))),
    CONSTRAINT only_routes_to_apple_have_an_environment CHECK (((route = 'local'::text) = (environment IS NULL))),
    CONSTRAINT route_is_known CHECK ((route = ANY (ARRAY['local'::text, 'verify_receipt'::text, 'server_api'::text, 'finish_transaction'::text])))
);
ALTER TABLE counterfoil.gates OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.gates IS 'The gate of a lane: one per app, route to a verdict and environment.';

CREATE TABLE counterfoil.jobs (
    id bigint DEFAULT counterfoil.next_job_id() NOT NULL,
    order_id text COLLATE pg_catalog."C",
    order_number bigint,
    account_id text COLLATE pg_catalog."C",
    transaction_id text COLLATE pg_catalog."C",
    proof text,
    lane integer NOT NULL,
    priority smallint DEFAULT 1 NOT NULL,
    state text DEFAULT 'available'::text NOT NULL,
    run_at timestamp with time zone DEFAULT now() NOT NULL,
    attempt integer DEFAULT 0 NOT NULL,
    lease_token bigint DEFAULT 0 NOT NULL,
    claimed_at timestamp with time zone,
    lease_expires_at timestamp with time zone,
    worker_id bigint,
    rescues smallint DEFAULT 0 NOT NULL,
    crashes smallint DEFAULT 0 NOT NULL,
    reason text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    kind text DEFAULT 'verify'::text NOT NULL,
    uncertain_attempts integer DEFAULT 0 NOT NULL,
    missing_since timestamp with time zone,
    last_missing_at timestamp with time zone,
    is_alone boolean DEFAULT true NOT NULL,
    notification_id bigint,
    found_by text,
    CONSTRAINT discarded_jobs_say_why CHECK (((state <> 'discarded'::text) OR (reason IS NOT NULL))),
    CONSTRAINT job_state_is_known CHECK ((state = ANY (ARRAY['available'::text, 'running'::text, 'discarded'::text]))),
    CONSTRAINT priority_is_0_to_3 CHECK (((priority >= 0) AND (priority <= 3))),
    CONSTRAINT running_jobs_hold_a_lease CHECK ((((state = 'running'::text) = (lease_expires_at IS NOT NULL)) AND ((state = 'running'::text) = (worker_id IS NOT NULL)) AND ((state = 'running'::text) = (claimed_at IS NOT NULL))))
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.01', autovacuum_vacuum_threshold='1000', autovacuum_vacuum_cost_delay='0', autovacuum_analyze_scale_factor='0.5', toast.autovacuum_vacuum_scale_factor='0.05', toast.autovacuum_vacuum_cost_delay='0');
ALTER TABLE ONLY counterfoil.jobs ALTER COLUMN order_number SET (n_distinct=-0.5);
ALTER TABLE ONLY counterfoil.jobs ALTER COLUMN proof SET STORAGE EXTERNAL;
ALTER TABLE counterfoil.jobs OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.jobs IS 'A pending verification: one proof for one order, or a follow-up of a grant. Gone once it ends; kept if it was discarded.';

CREATE TABLE counterfoil.revocations (
    id bigint NOT NULL,
    transaction_id text NOT NULL COLLATE pg_catalog."C",
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    original_transaction_id text NOT NULL COLLATE pg_catalog."C",
    web_order_line_item_id text COLLATE pg_catalog."C",
    kind text NOT NULL,
    share integer,
    knows_no_share boolean DEFAULT false NOT NULL,
    seats integer DEFAULT 0 NOT NULL,
    revocation_type text,
    revocation_reason integer,
    occurred_at timestamp with time zone NOT NULL,
    as_of timestamp with time zone NOT NULL,
    recorded_at timestamp with time zone DEFAULT now() NOT NULL,
    purchased_at timestamp with time zone,
    CONSTRAINT reversals_have_no_share CHECK (((kind = 'revocation'::text) OR ((share IS NULL) AND (seats = 0)))),
    CONSTRAINT revocation_environment_is_known CHECK ((environment = ANY (ARRAY['production'::text, 'sandbox'::text]))),
    CONSTRAINT revocation_kind_is_known CHECK ((kind = ANY (ARRAY['revocation'::text, 'reversal'::text]))),
    CONSTRAINT revoked_share_is_a_part CHECK (((share >= 1) AND (share <= 100000)))
);
ALTER TABLE counterfoil.revocations OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.revocations IS 'Payments that Apple took back, and revocations that it reversed. May precede the grant. Append-only.';

CREATE VIEW counterfoil.revocations_in_force AS …;
ALTER TABLE counterfoil.revocations_in_force OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.revocations_in_force IS 'Private: transactions that Apple took back, and didn''t give back since.';

CREATE VIEW counterfoil.payment_states AS …;
ALTER TABLE counterfoil.payment_states OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.payment_states IS 'Private: what became of each payment.';

CREATE VIEW counterfoil.order_status AS …;
ALTER TABLE counterfoil.order_status OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.order_status IS 'Where an order is, why, and what the client should do next. Poll it by order_id.';

CREATE FUNCTION counterfoil.add_proof(order_id text, account_id text, proof text, transaction_id text DEFAULT NULL::text) RETURNS SETOF counterfoil.order_status
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.add_proof(order_id text, account_id text, proof text, transaction_id text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.add_proof(order_id text, account_id text, proof text, transaction_id text) IS 'Adds the proof unless it is pending, and returns the order''s status with the upload''s job_id. Safe to repeat.';

CREATE FUNCTION counterfoil.adopt_changes() RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.adopt_changes() OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.adopt_changes() IS 'Private: makes the changes of a restored database readable.';

CREATE TABLE counterfoil.consumption_answers (
    id bigint NOT NULL,
    notification_id bigint NOT NULL,
    state text NOT NULL,
    delivery_status text,
    consumed_share integer,
    refund_preference text,
    sample_content_provided boolean,
    who text NOT NULL,
    why text NOT NULL,
    answered_at timestamp with time zone DEFAULT now() NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    uncertain_attempts integer DEFAULT 0 NOT NULL,
    next_at timestamp with time zone DEFAULT now() NOT NULL,
    lease_token integer DEFAULT 0 NOT NULL,
    lease_expires_at timestamp with time zone,
    error text,
    ended_at timestamp with time zone,
    CONSTRAINT answers_say_what_was_delivered CHECK (((state = 'declined'::text) OR ((delivery_status IS NOT NULL) AND (sample_content_provided IS NOT NULL)))),
    CONSTRAINT consumed_share_is_a_part CHECK (((consumed_share >= 0) AND (consumed_share <= 100000))),
    CONSTRAINT consumption_answer_state_is_known CHECK ((state = ANY (ARRAY['waiting'::text, 'sent'::text, 'refused'::text, 'late'::text, 'declined'::text]))),
    CONSTRAINT delivery_status_is_known CHECK ((delivery_status = ANY (ARRAY['delivered'::text, 'undelivered_quality_issue'::text, 'undelivered_wrong_item'::text, 'undelivered_server_outage'::text, 'undelivered_other'::text]))),
    CONSTRAINT ended_answers_say_when CHECK (((state = 'waiting'::text) = (ended_at IS NULL))),
    CONSTRAINT refund_preference_is_known CHECK ((refund_preference = ANY (ARRAY['decline'::text, 'grant_full'::text, 'grant_prorated'::text]))),
    CONSTRAINT why_of_an_answer_has_1_to_1000_characters CHECK (((length(why) >= 1) AND (length(why) <= 1000)))
);
ALTER TABLE counterfoil.consumption_answers OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.consumption_answers IS 'What the shop decided about Apple''s questions about refunds.';

CREATE TABLE counterfoil.consumption_requests (
    notification_id bigint NOT NULL,
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL,
    transaction_id text NOT NULL COLLATE pg_catalog."C",
    reason text,
    requested_at timestamp with time zone NOT NULL,
    deadline timestamp with time zone NOT NULL,
    closed_at timestamp with time zone
);
ALTER TABLE counterfoil.consumption_requests OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.consumption_requests IS 'Refunds that customers asked Apple for, and about which Apple asks the shop.';

CREATE TABLE counterfoil.notifications (
    id bigint NOT NULL,
    notification_uuid uuid NOT NULL,
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL,
    type text NOT NULL,
    subtype text,
    signed_at timestamp with time zone,
    source text NOT NULL,
    received_at timestamp with time zone DEFAULT now() NOT NULL,
    payload text,
    payload_hash bytea NOT NULL,
    is_of_an_app boolean NOT NULL,
    outcome text,
    message text,
    processed_at timestamp with time zone,
    transaction_id text COLLATE pg_catalog."C",
    original_transaction_id text COLLATE pg_catalog."C",
    order_id text COLLATE pg_catalog."C",
    CONSTRAINT notification_environment_is_known CHECK ((environment = ANY (ARRAY['production'::text, 'sandbox'::text]))),
    CONSTRAINT notification_has_at_most_256_kib CHECK (((octet_length(payload) >= 1) AND (octet_length(payload) <= 262144))),
    CONSTRAINT notification_outcome_is_known CHECK ((outcome = ANY (ARRAY['recorded'::text, 'stored'::text, 'odd'::text, 'denied'::text]))),
    CONSTRAINT notification_source_is_known CHECK ((source = ANY (ARRAY['push'::text, 'history'::text]))),
    CONSTRAINT notification_subtype_has_1_to_100_characters CHECK (((length(subtype) >= 1) AND (length(subtype) <= 100))),
    CONSTRAINT notification_type_has_1_to_100_characters CHECK (((length(type) >= 1) AND (length(type) <= 100))),
    CONSTRAINT notified_bundle_id_has_1_to_155_characters CHECK (((length(bundle_id) >= 1) AND (length(bundle_id) <= 155))),
    CONSTRAINT payload_hash_has_32_bytes CHECK ((octet_length(payload_hash) = 32)),
    CONSTRAINT processed_notifications_have_an_outcome CHECK (((outcome IS NULL) = (processed_at IS NULL)))
)
WITH (autovacuum_vacuum_scale_factor='0.05');
ALTER TABLE ONLY counterfoil.notifications ALTER COLUMN payload SET STORAGE EXTERNAL;
ALTER TABLE counterfoil.notifications OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.notifications IS 'What Apple''s servers told of an app''s customers. A row is kept for ever, its payload for a time.';

CREATE VIEW counterfoil.consumption_request_status AS …;
ALTER TABLE counterfoil.consumption_request_status OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.consumption_request_status IS 'What Apple asks the shop about refunds that customers want, with the payment and the deadline.';

CREATE FUNCTION counterfoil.answer_consumption_request(notification_uuid uuid, why text, customer_consented boolean DEFAULT NULL::boolean, delivery_status text DEFAULT NULL::text, consumed_share numeric DEFAULT NULL::numeric, refund_preference text DEFAULT NULL::text, sample_content_provided boolean DEFAULT NULL::boolean, bundle_id text DEFAULT NULL::text) RETURNS SETOF counterfoil.consumption_request_status
    LANGUAGE plpgsql SECURITY DEFINER ROWS 1
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.answer_consumption_request(notification_uuid uuid, why text, customer_consented boolean, delivery_status text, consumed_share numeric, refund_preference text, sample_content_provided boolean, bundle_id text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.answer_consumption_request(notification_uuid uuid, why text, customer_consented boolean, delivery_status text, consumed_share numeric, refund_preference text, sample_content_provided boolean, bundle_id text) IS 'Answers Apple''s question about a refund, for a reason; a worker sends it. Safe to repeat.';

CREATE FUNCTION counterfoil.attempt_outcome(disposition text, reason text, transaction_id text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC …;
ALTER FUNCTION counterfoil.attempt_outcome(disposition text, reason text, transaction_id text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.attempt_outcome(disposition text, reason text, transaction_id text) IS 'What came of an attempt: fulfilled, refunded, rejected, review, unchanged, retried, snoozed, released, discarded, rescued or cancelled.';

CREATE FUNCTION counterfoil.can_be_ordered_again(of_id text, of_bundle text, of_environment text) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.can_be_ordered_again(of_id text, of_bundle text, of_environment text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.can_be_ordered_again(of_id text, of_bundle text, of_environment text) IS 'Private: whether a payment pays for a new order of its account, product and quantity.';

CREATE FUNCTION counterfoil.cancel_order(order_id text, why text, account_id text DEFAULT NULL::text) RETURNS SETOF counterfoil.order_status
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.cancel_order(order_id text, why text, account_id text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.cancel_order(order_id text, why text, account_id text) IS 'Cancels an order that isn''t paid, for a reason; a payment that comes later is unclaimed. Safe to repeat.';

CREATE FUNCTION counterfoil.changes_from(since timestamp with time zone) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.changes_from(since timestamp with time zone) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.changes_from(since timestamp with time zone) IS 'The feed: a cursor for changes_since that begins with the changes from a time on.';

CREATE FUNCTION counterfoil.changes_from_cursor(cursor text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.changes_from_cursor(cursor text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.changes_from_cursor(cursor text) IS 'The feed: a cursor for changes_since that begins anew in place of one that is unknown, and misses nothing.';

CREATE FUNCTION counterfoil.changes_since(cursor text, at_most integer DEFAULT 1000) RETURNS TABLE(id bigint, at timestamp with time zone, kind text, order_id text, order_version integer, account_id text, bundle_id text, product_id text, quantity integer, environment text, transaction_id text, reason text, refunded_share numeric, next_cursor text, original_transaction_id text, product_kind text, purchased_at timestamp with time zone, expires_at timestamp with time zone, app_account_token uuid, details jsonb)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.changes_since(cursor text, at_most integer) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.changes_since(cursor text, at_most integer) IS 'The feed: the changes after a cursor, in order, each with the next cursor; the first cursor is of changes_from.';

CREATE FUNCTION counterfoil.comes_to_light(of_reason text) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    BEGIN ATOMIC …;
ALTER FUNCTION counterfoil.comes_to_light(of_reason text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.comes_to_light(of_reason text) IS 'Private: whether the feed tells of a payment that is kept with this reason.';

CREATE FUNCTION counterfoil.consumption_answer_of(of_question uuid, of_app text, consented boolean, delivered text, share numeric, preference text, sample boolean) RETURNS TABLE(notification_id bigint, bundle_id text, environment text, transaction_id text, product_id text, product_kind text, account_id text, order_id text, reason text, requested_at timestamp with time zone, deadline timestamp with time zone, decision text, customer_consented boolean, delivery_status text, consumed_share numeric, refund_preference text, sample_content_provided boolean, question_rule text, broken_rule text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.consumption_answer_of(of_question uuid, of_app text, consented boolean, delivered text, share numeric, preference text, sample boolean) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.consumption_answer_of(of_question uuid, of_app text, consented boolean, delivered text, share numeric, preference text, sample boolean) IS 'Private: the answer to Apple''s question about a refund as it would be sent, and what stands against it.';

CREATE FUNCTION counterfoil.customer_accounts(of_account text) RETURNS TABLE(account_id text, bundle_id text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 5
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.customer_accounts(of_account text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.customer_accounts(of_account text) IS 'Private: other accounts that the same Apple customer was seen with.';

CREATE FUNCTION counterfoil.customer_payments(of_account text, most integer) RETURNS TABLE(transaction_id text, state text, purchased_at timestamp with time zone, product_id text, quantity integer, order_id text, refunded_share numeric, refunded_at timestamp with time zone, reason text, expires_at timestamp with time zone, original_transaction_id text, bundle_id text, environment text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 50
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.customer_payments(of_account text, most integer) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.customer_payments(of_account text, most integer) IS 'Private: payments of an account, the latest first.';

CREATE FUNCTION counterfoil.decide_consumption_request(of_question uuid, of_app text, declines boolean, who text, why text, consented boolean, delivered text, share numeric, preference text, sample boolean) RETURNS TABLE(is_new boolean, decision text, deadline timestamp with time zone)
    LANGUAGE plpgsql SECURITY DEFINER ROWS 1
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.decide_consumption_request(of_question uuid, of_app text, declines boolean, who text, why text, consented boolean, delivered text, share numeric, preference text, sample boolean) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.decide_consumption_request(of_question uuid, of_app text, declines boolean, who text, why text, consented boolean, delivered text, share numeric, preference text, sample boolean) IS 'Private: decides about Apple''s question about a refund, for a reason.';

CREATE FUNCTION counterfoil.decline_consumption_request(notification_uuid uuid, why text, bundle_id text DEFAULT NULL::text) RETURNS SETOF counterfoil.consumption_request_status
    LANGUAGE plpgsql SECURITY DEFINER ROWS 1
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.decline_consumption_request(notification_uuid uuid, why text, bundle_id text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.decline_consumption_request(notification_uuid uuid, why text, bundle_id text) IS 'Gives no answer to Apple''s question about a refund, for a reason. Safe to repeat.';

CREATE FUNCTION counterfoil.definitions_held() RETURNS TABLE(name text, checksum text, written_by text)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET quote_all_identifiers TO 'off'
    SET "DateStyle" TO 'ISO'
    SET "IntervalStyle" TO 'postgres'
    SET "TimeZone" TO 'UTC'
    AS …;
ALTER FUNCTION counterfoil.definitions_held() OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.definitions_held() IS 'Private: the routines and views of the schema as they stand, each with the SHA-256 of its definition.';

CREATE FUNCTION counterfoil.desk_orders(of_account text, of_state text, of_product text, of_bundle text, since timestamp with time zone, until timestamp with time zone, before_order text, most integer, depth integer DEFAULT 5000) RETURNS TABLE(order_id text, bundle_id text, product_id text, account_id text, state text, reason text, transaction_id text, environment text, attempts integer, created_at timestamp with time zone, updated_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 50
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.desk_orders(of_account text, of_state text, of_product text, of_bundle text, since timestamp with time zone, until timestamp with time zone, before_order text, most integer, depth integer) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.desk_orders(of_account text, of_state text, of_product text, of_bundle text, since timestamp with time zone, until timestamp with time zone, before_order text, most integer, depth integer) IS 'Private: orders for people, newest first, by what is given.';

CREATE FUNCTION counterfoil.drop_month_partition(of_table text, by_column text, horizon timestamp with time zone, note text) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO'
    SET lock_timeout TO '200ms'
    AS …;
ALTER FUNCTION counterfoil.drop_month_partition(of_table text, by_column text, horizon timestamp with time zone, note text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.drop_month_partition(of_table text, by_column text, horizon timestamp with time zone, note text) IS 'Private: drops one partition of a table whose rows are all before the horizon, or a batch of such rows of the default partition, after a statement that notes them (%1$I is the partition, %2$L the horizon); returns 0 when nothing was dropped.';

CREATE FUNCTION counterfoil.drop_old_attempts(retention interval) RETURNS integer
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.drop_old_attempts(retention interval) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.drop_old_attempts(retention interval) IS 'Drops one partition of attempts that is past its retention, or a batch of rows without one; returns 0 when nothing was.';

CREATE FUNCTION counterfoil.drop_old_changes(retention interval) RETURNS integer
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.drop_old_changes(retention interval) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.drop_old_changes(retention interval) IS 'Drops one partition of changes that is past its retention, or a batch of rows without one; returns 0 when nothing was.';

CREATE FUNCTION counterfoil.end_webhook(endpoint integer, event_id text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.end_webhook(endpoint integer, event_id text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.end_webhook(endpoint integer, event_id text) IS 'Private: removes an event, and makes the next of its key due.';

CREATE FUNCTION counterfoil.feed_server() RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.feed_server() OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.feed_server() IS 'Private: whose transaction numbers the changes bear.';

CREATE FUNCTION counterfoil.find_anything(what text) RETURNS TABLE(kind text, id text, state text, at timestamp with time zone, order_id text, account_id text, product_id text, bundle_id text, environment text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 10
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.find_anything(what text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.find_anything(what text) IS 'Private: all that an id names, by kind.';

CREATE FUNCTION counterfoil.forget_account(of_account text, who text, why text) RETURNS TABLE(pseudonym text, orders bigint, payments bigint, proofs bigint, cancelled bigint)
    LANGUAGE plpgsql SECURITY DEFINER ROWS 1
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.forget_account(of_account text, who text, why text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.forget_account(of_account text, who text, why text) IS 'Private: forgets an account, with those that were moved to it.';

CREATE FUNCTION counterfoil.harmful_publications() RETURNS TABLE(publication name, table_name name, why text)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.harmful_publications() OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.harmful_publications() IS 'Publications by whose filter the server refuses updates of a table of this schema, and those of the feed''s private table.';

CREATE FUNCTION counterfoil.import_grants(bundle_id text, environment text, entries jsonb) RETURNS TABLE(order_id text, transaction_id text, outcome text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.import_grants(bundle_id text, environment text, entries jsonb) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.import_grants(bundle_id text, environment text, entries jsonb) IS 'Loads what was granted before, with its orders. Safe to repeat; returns what became of each entry.';

CREATE FUNCTION counterfoil.index_sizes() RETURNS TABLE(table_name name, index_name name, bytes bigint, packed_bytes bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.index_sizes() OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.index_sizes() IS 'Each btree index of the schema with its size and an estimate of its size without bloat, in bytes.';

CREATE FUNCTION counterfoil.is_forgotten(of_account text) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.is_forgotten(of_account text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.is_forgotten(of_account text) IS 'Private: whether an account is the pseudonym of one that was forgotten.';

CREATE FUNCTION counterfoil.is_known_account(of_account text) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.is_known_account(of_account text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.is_known_account(of_account text) IS 'Private: whether anything of an account is known.';

CREATE FUNCTION counterfoil.json_without_accounts(of_json jsonb, accounts text[], pseudonym text) RETURNS jsonb
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.json_without_accounts(of_json jsonb, accounts text[], pseudonym text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.json_without_accounts(of_json jsonb, accounts text[], pseudonym text) IS 'Private: JSON in which the names of accounts are replaced.';

CREATE FUNCTION counterfoil.keep_order(order_id text, bundle_id text, product_id text, account_id text, quantity integer, app_account_token uuid, recovery boolean) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.keep_order(order_id text, bundle_id text, product_id text, account_id text, quantity integer, app_account_token uuid, recovery boolean) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.keep_order(order_id text, bundle_id text, product_id text, account_id text, quantity integer, app_account_token uuid, recovery boolean) IS 'Private: makes an order unless it exists with the same content.';

CREATE FUNCTION counterfoil.keep_upload(order_id text, proof text, transaction_id text, may_be_pending boolean) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.keep_upload(order_id text, proof text, transaction_id text, may_be_pending boolean) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.keep_upload(order_id text, proof text, transaction_id text, may_be_pending boolean) IS 'Private: adds a proof to an order unless it is pending, and returns its job.';

CREATE FUNCTION counterfoil.latency_bounds() RETURNS double precision[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC …;
ALTER FUNCTION counterfoil.latency_bounds() OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.latency_bounds() IS 'Seconds; bucket n of a latency roll-up lies between bound n and bound n + 1.';

CREATE FUNCTION counterfoil.latency_percentile(percent integer, buckets smallint[], reached bigint[]) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC …;
ALTER FUNCTION counterfoil.latency_percentile(percent integer, buckets smallint[], reached bigint[]) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.latency_percentile(percent integer, buckets smallint[], reached bigint[]) IS 'Private: a percentile of a histogram, in seconds.';

CREATE FUNCTION counterfoil.make_attempt_partitions() RETURNS integer
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.make_attempt_partitions() OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.make_attempt_partitions() IS 'Makes the partitions of attempts for this month and the next two, and for those of the default partition, where nobody is in the way; returns how many it made.';

CREATE FUNCTION counterfoil.make_change_partitions() RETURNS integer
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.make_change_partitions() OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.make_change_partitions() IS 'Makes the partitions of changes for this month and the next two, and for those of the default partition, where nobody is in the way; returns how many it made.';

CREATE FUNCTION counterfoil.make_gates() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.make_gates() OWNER TO counterfoil_owner;

CREATE FUNCTION counterfoil.make_month_partitions(of_table text, by_column text) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO'
    SET lock_timeout TO '200ms'
    AS …;
ALTER FUNCTION counterfoil.make_month_partitions(of_table text, by_column text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.make_month_partitions(of_table text, by_column text) IS 'Private: makes the partitions of a table for this month and the next two, and for those of the default partition, where nobody is in the way; returns how many it made.';

CREATE FUNCTION counterfoil.make_role_settings() RETURNS TABLE(refused text)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.make_role_settings() OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.make_role_settings() IS 'Private: makes the settings of our roles in this database that are missing or differ.';

CREATE FUNCTION counterfoil.make_trigger(of_table text, name text, definition text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.make_trigger(of_table text, name text, definition text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.make_trigger(of_table text, name text, definition text) IS 'Private: makes a trigger, unless it stands.';

CREATE FUNCTION counterfoil.move_account(from_account text, to_account text, who text, why text, only_orders text[] DEFAULT NULL::text[]) RETURNS TABLE(is_new boolean, account_now text)
    LANGUAGE plpgsql SECURITY DEFINER ROWS 1
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.move_account(from_account text, to_account text, who text, why text, only_orders text[]) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.move_account(from_account text, to_account text, who text, why text, only_orders text[]) IS 'Private: makes all that an account has another''s, for a reason.';

CREATE FUNCTION counterfoil.moves_of_account(of_account text, most integer) RETURNS TABLE(moved_at timestamp with time zone, what text, order_id text, from_account text, to_account text, who text, why text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 5
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.moves_of_account(of_account text, most integer) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.moves_of_account(of_account text, most integer) IS 'Private: the moves and transfers from an account and to it.';

CREATE FUNCTION counterfoil.names_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_key text, of_kind text, of_purchased_at timestamp with time zone) RETURNS TABLE(transaction_id text, account_id text, order_number bigint, reason text, seen_at timestamp with time zone, product_kind text, additional_reason text, purchase_reason text, paid_at timestamp with time zone, is_advanced_commerce boolean, shown_by_number bigint)
    LANGUAGE sql STABLE
    BEGIN ATOMIC …;
ALTER FUNCTION counterfoil.names_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_key text, of_kind text, of_purchased_at timestamp with time zone) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.names_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_key text, of_kind text, of_purchased_at timestamp with time zone) IS 'Private: the transactions that are one payment.';

CREATE FUNCTION counterfoil.next_change_id() RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.next_change_id() OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.next_change_id() IS 'Private: the number of a new row of the feed.';

CREATE FUNCTION counterfoil.next_step(of_order text) RETURNS TABLE(step text, command text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.next_step(of_order text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.next_step(of_order text) IS 'Private: what a person does next about an order, and the command for it.';

CREATE FUNCTION counterfoil.notifications_named(id_or_uuid text) RETURNS SETOF bigint
    LANGUAGE sql STABLE ROWS 1 PARALLEL SAFE
    BEGIN ATOMIC …;
ALTER FUNCTION counterfoil.notifications_named(id_or_uuid text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.notifications_named(id_or_uuid text) IS 'Private: the notifications of an id or a uuid.';

CREATE FUNCTION counterfoil.open_feed() RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.open_feed() OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.open_feed() IS 'Private: the server and the timeline, as a cursor names them.';

CREATE FUNCTION counterfoil.open_orders(account_id text, product_id text, at_most integer DEFAULT 100, after_order_id text DEFAULT NULL::text) RETURNS SETOF counterfoil.order_status
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.open_orders(account_id text, product_id text, at_most integer, after_order_id text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.open_orders(account_id text, product_id text, at_most integer, after_order_id text) IS 'The orders of an account and product that can still be paid, oldest first, a page, with what the client should do.';

CREATE FUNCTION counterfoil.order_number_at(at timestamp with time zone) RETURNS bigint
    LANGUAGE plpgsql STABLE STRICT SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.order_number_at(at timestamp with time zone) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.order_number_at(at timestamp with time zone) IS 'Private: the number of the first order that was made at a time or later.';

CREATE FUNCTION counterfoil.order_status_of(order_id text, account_id text) RETURNS SETOF counterfoil.order_status
    LANGUAGE plpgsql STABLE ROWS 1
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.order_status_of(order_id text, account_id text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.order_status_of(order_id text, account_id text) IS 'Where an order of the account is, as a row of order_status. Poll it. An unknown order and one of another account give no row.';

CREATE FUNCTION counterfoil.order_statuses_of(order_ids text[], account_id text) RETURNS SETOF counterfoil.order_status
    LANGUAGE plpgsql STABLE ROWS 10
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.order_statuses_of(order_ids text[], account_id text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.order_statuses_of(order_ids text[], account_id text) IS 'Where several orders of the account are, as rows of order_status. Unknown orders and those of other accounts give no row.';

CREATE FUNCTION counterfoil.order_statuses_of_accounts(order_ids text[], account_ids text[]) RETURNS SETOF counterfoil.order_status
    LANGUAGE plpgsql STABLE ROWS 100
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.order_statuses_of_accounts(order_ids text[], account_ids text[]) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.order_statuses_of_accounts(order_ids text[], account_ids text[]) IS 'Where orders of many accounts are, each with its account at the same place. Unknown orders and those of others give no row.';

CREATE FUNCTION counterfoil.orders_around(of_bundle text, of_product text, of_quantity integer, paid_at timestamp with time zone, most integer) RETURNS TABLE(order_id text, account_id text, created_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 5
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.orders_around(of_bundle text, of_product text, of_quantity integer, paid_at timestamp with time zone, most integer) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.orders_around(of_bundle text, of_product text, of_quantity integer, paid_at timestamp with time zone, most integer) IS 'Private: orders that a payment may have been made for, by its time.';

CREATE FUNCTION counterfoil.waits_for_payment(state text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC …;
ALTER FUNCTION counterfoil.waits_for_payment(state text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.waits_for_payment(state text) IS 'Private: whether a payment may still pay for an order of this state.';

CREATE TABLE counterfoil.apps (
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    apple_app_id bigint,
    sandbox_policy text DEFAULT 'listed'::text NOT NULL,
    sandbox_open_until timestamp with time zone,
    absent_token_policy text DEFAULT 'accept'::text NOT NULL,
    purchase_time_tolerance interval DEFAULT '00:10:00'::interval NOT NULL,
    own_order_window interval DEFAULT '01:00:00'::interval NOT NULL,
    ledger_starts_at timestamp with time zone,
    policy_number integer DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    receipt_route text DEFAULT 'verify_receipt'::text NOT NULL,
    confirm_after interval,
    finish_transactions boolean DEFAULT false NOT NULL,
    consumption_consented boolean DEFAULT false NOT NULL,
    sample_content_provided boolean DEFAULT false NOT NULL,
    refund_preference text,
    CONSTRAINT absent_token_policy_is_known CHECK ((absent_token_policy = ANY (ARRAY['accept'::text, 'review'::text]))),
    CONSTRAINT app_refund_preference_is_known CHECK ((refund_preference = ANY (ARRAY['decline'::text, 'grant_full'::text, 'grant_prorated'::text]))),
    CONSTRAINT bundle_id_has_1_to_155_characters CHECK (((length(bundle_id) >= 1) AND (length(bundle_id) <= 155))),
    CONSTRAINT confirm_after_is_not_negative CHECK ((confirm_after >= '00:00:00'::interval)),
    CONSTRAINT own_order_window_is_not_negative CHECK ((own_order_window >= '00:00:00'::interval)),
    CONSTRAINT purchase_time_tolerance_is_not_negative CHECK ((purchase_time_tolerance >= '00:00:00'::interval)),
    CONSTRAINT receipt_route_is_known CHECK ((receipt_route = ANY (ARRAY['local_then_api'::text, 'verify_receipt'::text, 'local_only'::text]))),
    CONSTRAINT sandbox_policy_is_known CHECK ((sandbox_policy = ANY (ARRAY['deny'::text, 'listed'::text, 'allow'::text])))
);
ALTER TABLE counterfoil.apps OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.apps IS 'An app whose purchases are verified. Secrets are never here.';
COMMENT ON COLUMN counterfoil.apps.apple_app_id IS 'Unused: nothing that Apple signs of a purchase names it.';

CREATE TABLE counterfoil.products (
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    product_id text NOT NULL COLLATE pg_catalog."C",
    kind text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT product_id_has_1_to_200_characters CHECK (((length(product_id) >= 1) AND (length(product_id) <= 200))),
    CONSTRAINT product_kind_is_known CHECK ((kind = ANY (ARRAY['consumable'::text, 'non_consumable'::text, 'non_renewing'::text, 'auto_renewable'::text])))
);
ALTER TABLE counterfoil.products OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.products IS 'A product of an app; its kind decides what counts as one grant.';

CREATE FUNCTION counterfoil.orders_for_payment(of_bundle text, of_product text, of_kind text, of_quantity integer, of_token uuid, paid_at timestamp with time zone, by_account text, shown_for text, shown_order_made_at timestamp with time zone) RETURNS TABLE(order_id text, rank integer, why text)
    LANGUAGE sql STABLE
    BEGIN ATOMIC …;
ALTER FUNCTION counterfoil.orders_for_payment(of_bundle text, of_product text, of_kind text, of_quantity integer, of_token uuid, paid_at timestamp with time zone, by_account text, shown_for text, shown_order_made_at timestamp with time zone) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.orders_for_payment(of_bundle text, of_product text, of_kind text, of_quantity integer, of_token uuid, paid_at timestamp with time zone, by_account text, shown_for text, shown_order_made_at timestamp with time zone) IS 'Private: the order that a payment was made for, where another order showed it, or none.';

CREATE FUNCTION counterfoil.orders_of(account_id text, at_most integer DEFAULT 100, before_order_id text DEFAULT NULL::text, state text DEFAULT NULL::text, product_id text DEFAULT NULL::text, payable boolean DEFAULT false, bundle_ids text[] DEFAULT NULL::text[]) RETURNS SETOF counterfoil.order_status
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.orders_of(account_id text, at_most integer, before_order_id text, state text, product_id text, payable boolean, bundle_ids text[]) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.orders_of(account_id text, at_most integer, before_order_id text, state text, product_id text, payable boolean, bundle_ids text[]) IS 'The orders of an account, newest first, a page, as rows of order_status.';

CREATE FUNCTION counterfoil.orders_of_account(of_account text, most integer DEFAULT NULL::integer, after_number bigint DEFAULT 0) RETURNS TABLE(order_id text, number bigint, state text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 100
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.orders_of_account(of_account text, most integer, after_number bigint) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.orders_of_account(of_account text, most integer, after_number bigint) IS 'Private: the orders of an account, the oldest first.';

CREATE FUNCTION counterfoil.owner_before(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, tokens uuid[], accounts text[]) RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.owner_before(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, tokens uuid[], accounts text[]) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.owner_before(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, tokens uuid[], accounts text[]) IS 'Private: the account that the nearest earlier period of a subscription names.';

CREATE FUNCTION counterfoil.owner_of_period(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, of_expires_at timestamp with time zone, of_reason text) RETURNS text
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.owner_of_period(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, of_expires_at timestamp with time zone, of_reason text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.owner_of_period(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, of_expires_at timestamp with time zone, of_reason text) IS 'Private: the account to which a period of a subscription belongs, by the other periods.';

CREATE FUNCTION counterfoil.revocations_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_kind text, of_purchased_at timestamp with time zone) RETURNS TABLE(transaction_id text, as_of timestamp with time zone, recorded_at timestamp with time zone, share integer, is_whole boolean, occurred_at timestamp with time zone)
    LANGUAGE sql STABLE
    BEGIN ATOMIC …;
ALTER FUNCTION counterfoil.revocations_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_kind text, of_purchased_at timestamp with time zone) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.revocations_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_kind text, of_purchased_at timestamp with time zone) IS 'Private: the revocations of a payment that are in force.';

CREATE FUNCTION counterfoil.refund_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_kind text, of_purchased_at timestamp with time zone) RETURNS TABLE(share integer, is_whole boolean, as_of timestamp with time zone, recorded_at timestamp with time zone, occurred_at timestamp with time zone)
    LANGUAGE sql STABLE
    BEGIN ATOMIC …;
ALTER FUNCTION counterfoil.refund_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_kind text, of_purchased_at timestamp with time zone) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.refund_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_kind text, of_purchased_at timestamp with time zone) IS 'Private: what stands of a payment''s refunds.';

CREATE FUNCTION counterfoil.refunds_before(of_bundle text, of_environment text, of_id text, of_original text, of_kind text, of_purchased_at timestamp with time zone) RETURNS TABLE(transaction_id text)
    LANGUAGE sql STABLE
    BEGIN ATOMIC …;
ALTER FUNCTION counterfoil.refunds_before(of_bundle text, of_environment text, of_id text, of_original text, of_kind text, of_purchased_at timestamp with time zone) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.refunds_before(of_bundle text, of_environment text, of_id text, of_original text, of_kind text, of_purchased_at timestamp with time zone) IS 'Private: the refunds of the same original transaction that a purchase came after.';

CREATE FUNCTION counterfoil.payment_facts(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_key text, of_kind text, of_purchased_at timestamp with time zone, of_token uuid, by_account text, order_token uuid, of_reason text DEFAULT NULL::text, of_expires_at timestamp with time zone DEFAULT NULL::timestamp with time zone) RETURNS TABLE(is_seen boolean, holder_order_number bigint, holder_account_id text, holder_transaction_id text, refunded_as_of timestamp with time zone, refund_recorded_at timestamp with time zone, is_partly_refunded boolean, is_addition boolean, is_bought_again boolean, is_anothers boolean, is_clear boolean, token uuid, purchase_reason text, paid_at timestamp with time zone, is_advanced_commerce boolean, first_ordered_at timestamp with time zone)
    LANGUAGE sql STABLE
    BEGIN ATOMIC …;
ALTER FUNCTION counterfoil.payment_facts(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_key text, of_kind text, of_purchased_at timestamp with time zone, of_token uuid, by_account text, order_token uuid, of_reason text, of_expires_at timestamp with time zone) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.payment_facts(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_key text, of_kind text, of_purchased_at timestamp with time zone, of_token uuid, by_account text, order_token uuid, of_reason text, of_expires_at timestamp with time zone) IS 'Private: the facts of a payment, for an account and its order''s token.';

CREATE FUNCTION counterfoil.payment_key(kind text, original text, item text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC …;
ALTER FUNCTION counterfoil.payment_key(kind text, original text, item text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.payment_key(kind text, original text, item text) IS 'Private: what the names of a payment share.';

CREATE FUNCTION counterfoil.payments_of_original(of_bundle text, of_environment text, of_original text) RETURNS SETOF counterfoil.payment_states
    LANGUAGE sql STABLE
    BEGIN ATOMIC …;
ALTER FUNCTION counterfoil.payments_of_original(of_bundle text, of_environment text, of_original text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.payments_of_original(of_bundle text, of_environment text, of_original text) IS 'Private: all payments of an original transaction, each with what became of it.';

CREATE FUNCTION counterfoil.place_order(order_id text, bundle_id text, product_id text, account_id text, quantity integer DEFAULT 1, app_account_token uuid DEFAULT NULL::uuid, recovery boolean DEFAULT false) RETURNS SETOF counterfoil.order_status
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.place_order(order_id text, bundle_id text, product_id text, account_id text, quantity integer, app_account_token uuid, recovery boolean) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.place_order(order_id text, bundle_id text, product_id text, account_id text, quantity integer, app_account_token uuid, recovery boolean) IS 'Makes the order unless it exists, and returns its status. Safe to repeat.';

CREATE FUNCTION counterfoil.prepare_job() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.prepare_job() OWNER TO counterfoil_owner;

CREATE FUNCTION counterfoil.preview_of_account(of_account text) RETURNS TABLE(is_known boolean, account_now text, orders bigint, paid_orders bigint, open_orders bigint, pending_jobs bigint, unclaimed_payments bigint, moved_accounts bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.preview_of_account(of_account text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.preview_of_account(of_account text) IS 'Private: what an account has, in numbers.';

CREATE FUNCTION counterfoil.prune_roll_ups(minutes_kept interval, hours_kept interval, most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.prune_roll_ups(minutes_kept interval, hours_kept interval, most integer) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.prune_roll_ups(minutes_kept interval, hours_kept interval, most integer) IS 'Removes counts past their retention; returns the most rows removed from one table: as many as allowed means that there may be more.';

CREATE FUNCTION counterfoil.queue_notifications() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.queue_notifications() OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.queue_notifications() IS 'Private: queues the notifications that came before their app was added.';

CREATE FUNCTION counterfoil.raise_policy_number() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.raise_policy_number() OWNER TO counterfoil_owner;

CREATE FUNCTION counterfoil.read_snapshot() RETURNS pg_snapshot
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.read_snapshot() OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.read_snapshot() IS 'Private: the snapshot of a read, without what its own session wrote.';

CREATE FUNCTION counterfoil.receive_notification(payload text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.receive_notification(payload text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.receive_notification(payload text) IS 'Takes the body of a notification of Apple''s, to be verified by a job. Answers stored, known, unknown_app, being_stored or unreadable with its kind. Safe to repeat.';

CREATE FUNCTION counterfoil.refuse(rule text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.refuse(rule text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.refuse(rule text) IS 'Private: raises the error of a rule.';

CREATE FUNCTION counterfoil.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.refuse_change() OWNER TO counterfoil_owner;

CREATE FUNCTION counterfoil.refuse_change_of_payment() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.refuse_change_of_payment() OWNER TO counterfoil_owner;

CREATE FUNCTION counterfoil.refuse_job() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.refuse_job() OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.refuse_job() IS 'Private: refuses a job that breaks a rule of what never changes.';

CREATE FUNCTION counterfoil.refuse_moved_grants() RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.refuse_moved_grants() OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.refuse_moved_grants() IS 'Private: raises the error of grants whose jobs or orders were moved.';

CREATE FUNCTION counterfoil.refuse_order() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.refuse_order() OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.refuse_order() IS 'Private: refuses an order that breaks a rule of what never changes.';

CREATE FUNCTION counterfoil.refuse_order_of_moved_account() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.refuse_order_of_moved_account() OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.refuse_order_of_moved_account() IS 'Private: refuses a new order of an account that was moved.';

CREATE FUNCTION counterfoil.replication_facts() RETURNS TABLE(is_standby boolean, is_streaming boolean, sees_sessions boolean, sync_names text, needed integer, standbys integer, confirming integer, list text, behind bigint, flush_lag interval, waiting integer, waits_for interval, slots text, slot_bytes bigint, lax text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.replication_facts() OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.replication_facts() IS 'Private: standbys, confirmations, sessions that wait for one, and inactive slots; the view replication judges them.';

CREATE FUNCTION counterfoil.review_causes(of_bundle text) RETURNS TABLE(reason text, product_id text, bundle_id text, app_version text, orders bigint, customers bigint, last_hour bigint, rising boolean, first_seen timestamp with time zone, last_seen timestamp with time zone, is_cut boolean)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 50
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.review_causes(of_bundle text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.review_causes(of_bundle text) IS 'Private: why orders are in review, by app, reason, product and version.';

CREATE FUNCTION counterfoil.roll_up() RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET enable_bitmapscan TO 'on'
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_custom_plan'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.roll_up() OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.roll_up() IS 'Counts the next minutes that are over; returns how many, 0 when none is due or another worker counts.';

CREATE FUNCTION counterfoil.roll_up_hours(first_hour timestamp with time zone, past_last timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    AS …;
ALTER FUNCTION counterfoil.roll_up_hours(first_hour timestamp with time zone, past_last timestamp with time zone) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.roll_up_hours(first_hour timestamp with time zone, past_last timestamp with time zone) IS 'Private: adds the minutes of some hours up.';

CREATE FUNCTION counterfoil.roll_up_minutes(first_minute timestamp with time zone, past_last timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET enable_bitmapscan TO 'on'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_custom_plan'
    SET jit TO 'off'
    SET work_mem TO '32MB'
    AS …;
ALTER FUNCTION counterfoil.roll_up_minutes(first_minute timestamp with time zone, past_last timestamp with time zone) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.roll_up_minutes(first_minute timestamp with time zone, past_last timestamp with time zone) IS 'Private: counts what happened in some minutes.';

CREATE FUNCTION counterfoil.rule_broken_by_job(kind text, order_id text, transaction_id text, proof text, notification_id bigint) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC …;
ALTER FUNCTION counterfoil.rule_broken_by_job(kind text, order_id text, transaction_id text, proof text, notification_id bigint) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.rule_broken_by_job(kind text, order_id text, transaction_id text, proof text, notification_id bigint) IS 'Private: the rule of what never changes that a job breaks, or null.';

CREATE FUNCTION counterfoil.settle_webhook(endpoint integer, event_id text, lease_token integer, result text, error text, retry_seconds double precision, is_last boolean, pause_seconds double precision) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.settle_webhook(endpoint integer, event_id text, lease_token integer, result text, error text, retry_seconds double precision, is_last boolean, pause_seconds double precision) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.settle_webhook(endpoint integer, event_id text, lease_token integer, result text, error text, retry_seconds double precision, is_last boolean, pause_seconds double precision) IS 'Private: ends the call of a claimed event.';

CREATE FUNCTION counterfoil.shell_words(VARIADIC words text[]) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.shell_words(VARIADIC words text[]) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.shell_words(VARIADIC words text[]) IS 'Private: words of a command line, quoted.';

CREATE FUNCTION counterfoil.signed_text_in(payload text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.signed_text_in(payload text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.signed_text_in(payload text) IS 'Private: the signed text in what was passed on as a notification.';

CREATE FUNCTION counterfoil.snapshot_holders() RETURNS TABLE(holder text, pid integer, role name, held_for interval, transactions_behind integer)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.snapshot_holders() OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.snapshot_holders() IS 'Sessions, prepared transactions and slots that keep vacuum off dead rows, the oldest first; without the text of any query.';

CREATE FUNCTION counterfoil.store_notification(payload text, source text, is_verified boolean DEFAULT false) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.store_notification(payload text, source text, is_verified boolean) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.store_notification(payload text, source text, is_verified boolean) IS 'Private: takes a notification of Apple''s, by its source: push or history.';

CREATE FUNCTION counterfoil.submit(order_id text, bundle_id text, product_id text, account_id text, proof text, quantity integer DEFAULT 1, app_account_token uuid DEFAULT NULL::uuid, recovery boolean DEFAULT false, transaction_id text DEFAULT NULL::text) RETURNS SETOF counterfoil.order_status
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.submit(order_id text, bundle_id text, product_id text, account_id text, proof text, quantity integer, app_account_token uuid, recovery boolean, transaction_id text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.submit(order_id text, bundle_id text, product_id text, account_id text, proof text, quantity integer, app_account_token uuid, recovery boolean, transaction_id text) IS 'Makes the order unless it exists, adds the proof unless it is pending, returns the order''s status with the upload''s job_id. Safe to repeat.';

CREATE FUNCTION counterfoil.subscription_state(of_bundle text, of_environment text, of_original text) RETURNS TABLE(product_id text, account_id text, transaction_id text, purchased_at timestamp with time zone, expires_at timestamp with time zone, status text, will_renew boolean, renews_as text, renews_at timestamp with time zone, grace_ends_at timestamp with time zone, expiration_intent integer, as_of timestamp with time zone, is_in_billing_retry boolean, access_until timestamp with time zone, next_transaction_id text, next_product_id text, next_begins_at timestamp with time zone, next_expires_at timestamp with time zone)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.subscription_state(of_bundle text, of_environment text, of_original text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.subscription_state(of_bundle text, of_environment text, of_original text) IS 'Private: the present state of a subscription, derived from its periods and from what Apple said of them.';

CREATE TABLE counterfoil.accesses (
    transaction_id text NOT NULL COLLATE pg_catalog."C",
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    original_transaction_id text NOT NULL COLLATE pg_catalog."C",
    product_id text NOT NULL COLLATE pg_catalog."C",
    product_kind text,
    ownership text NOT NULL,
    purchased_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone,
    ended_at timestamp with time zone,
    as_of timestamp with time zone NOT NULL,
    account_id text COLLATE pg_catalog."C",
    CONSTRAINT access_environment_is_known CHECK ((environment = ANY (ARRAY['production'::text, 'sandbox'::text]))),
    CONSTRAINT access_ownership_is_known CHECK ((ownership = ANY (ARRAY['family_shared'::text, 'assigned'::text])))
)
WITH (fillfactor='90');
ALTER TABLE counterfoil.accesses OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.accesses IS 'What somebody else paid for, and a family member or the holder of a seat has.';

CREATE TABLE counterfoil.subscriptions (
    original_transaction_id text NOT NULL COLLATE pg_catalog."C",
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    renews_as text COLLATE pg_catalog."C",
    will_renew boolean,
    is_in_billing_retry boolean,
    grace_ends_at timestamp with time zone,
    renews_at timestamp with time zone,
    expiration_intent integer,
    as_of timestamp with time zone NOT NULL,
    asked_at timestamp with time zone
)
WITH (fillfactor='80');
ALTER TABLE counterfoil.subscriptions OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.subscriptions IS 'What Apple signed last of a subscription''s renewal.';

CREATE VIEW counterfoil.access_states AS …;
ALTER TABLE counterfoil.access_states OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.access_states IS 'Private: what somebody else paid for, and a family member or the holder of a seat has. A row a transaction.';

CREATE VIEW counterfoil.subscription_status AS …;
ALTER TABLE counterfoil.subscription_status OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.subscription_status IS 'Where each subscription is, by what Apple signed. Look one up by subscription_status_of.';

CREATE FUNCTION counterfoil.subscription_status_of(bundle_id text, environment text, original_transaction_id text, account_id text) RETURNS SETOF counterfoil.subscription_status
    LANGUAGE plpgsql STABLE ROWS 1
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.subscription_status_of(bundle_id text, environment text, original_transaction_id text, account_id text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.subscription_status_of(bundle_id text, environment text, original_transaction_id text, account_id text) IS 'Where a subscription of the account is, or of none, as a row of subscription_status. One of another account gives no row.';

CREATE FUNCTION counterfoil.subscriptions_of(account_id text, bundle_id text DEFAULT NULL::text) RETURNS SETOF counterfoil.subscription_status
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 5
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.subscriptions_of(account_id text, bundle_id text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.subscriptions_of(account_id text, bundle_id text) IS 'The subscriptions of an account, as rows of subscription_status, those with access first.';

CREATE FUNCTION counterfoil.take_from_history(payload text) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.take_from_history(payload text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.take_from_history(payload text) IS 'Private: takes a notification of Apple''s history.';

CREATE FUNCTION counterfoil.take_proof(of_job bigint, who text, why text) RETURNS TABLE(order_id text, proof text)
    LANGUAGE plpgsql SECURITY DEFINER ROWS 1
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.take_proof(of_job bigint, who text, why text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.take_proof(of_job bigint, who text, why text) IS 'Private: the proof of a job, and a line about who took it.';

CREATE FUNCTION counterfoil.take_webhooks(names text[], at_most integer, lease_seconds double precision) RETURNS TABLE(endpoint integer, name text, url text, event_id text, lease_token integer, tries integer, body text, began_anew boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.take_webhooks(names text[], at_most integer, lease_seconds double precision) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.take_webhooks(names text[], at_most integer, lease_seconds double precision) IS 'Private: reads the feed for endpoints, and claims the events to send now.';

CREATE FUNCTION counterfoil.tell_consumption_request() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.tell_consumption_request() OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.tell_consumption_request() IS 'Private: tells the feed that Apple asks about a refund.';

CREATE FUNCTION counterfoil.tell_found() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.tell_found() OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.tell_found() IS 'Private: tells the feed of a payment that was brought to an order.';

CREATE FUNCTION counterfoil.tell_moved_end() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.tell_moved_end() OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.tell_moved_end() IS 'Private: tells the feed of payments that are called otherwise because an earlier period ends otherwise.';

CREATE FUNCTION counterfoil.tell_order() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.tell_order() OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.tell_order() IS 'Private: tells the feed what became of an order.';

CREATE FUNCTION counterfoil.tell_payments(of_bundles text[], of_environments text[], of_ids text[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.tell_payments(of_bundles text[], of_environments text[], of_ids text[]) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.tell_payments(of_bundles text[], of_environments text[], of_ids text[]) IS 'Private: tells the feed of payments that no order has, and each difference from what was told before.';

CREATE FUNCTION counterfoil.tell_refund() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.tell_refund() OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.tell_refund() IS 'Private: tells the feed of a refund that leaves its order fulfilled.';

CREATE FUNCTION counterfoil.tell_refund_in_force(of_order bigint) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_nestloop TO 'on'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.tell_refund_in_force(of_order bigint) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.tell_refund_in_force(of_order bigint) IS 'Private: tells the feed what stands of the refunds of a fulfilled order.';

CREATE FUNCTION counterfoil.tell_stored_notification() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.tell_stored_notification() OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.tell_stored_notification() IS 'Private: tells the feed of a notification without an effect.';

CREATE FUNCTION counterfoil.tell_subscriptions(of_originals text[], of_bundles text[], of_environments text[], of_ids text[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    SET "TimeZone" TO 'UTC'
    AS …;
ALTER FUNCTION counterfoil.tell_subscriptions(of_originals text[], of_bundles text[], of_environments text[], of_ids text[]) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.tell_subscriptions(of_originals text[], of_bundles text[], of_environments text[], of_ids text[]) IS 'Private: tells the feed what a settlement changed of subscriptions.';

CREATE FUNCTION counterfoil.tell_unclaimed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.tell_unclaimed() OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.tell_unclaimed() IS 'Private: tells the feed of a payment that nothing was granted for.';

CREATE FUNCTION counterfoil.tokens_of_subscription(of_bundle text, of_environment text, of_original text) RETURNS TABLE(token uuid, account_id text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.tokens_of_subscription(of_bundle text, of_environment text, of_original text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.tokens_of_subscription(of_bundle text, of_environment text, of_original text) IS 'Private: the tokens of a subscription that speak for an account.';

CREATE FUNCTION counterfoil.told_after(told text, seen pg_snapshot) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.told_after(told text, seen pg_snapshot) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.told_after(told text, seen pg_snapshot) IS 'Private: the last part of a cursor after a whole read.';

CREATE VIEW counterfoil.payment_answers AS …;
ALTER TABLE counterfoil.payment_answers OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.payment_answers IS 'Private: what each payment means to a client.';

CREATE VIEW counterfoil.transaction_status AS …;
ALTER TABLE counterfoil.transaction_status OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.transaction_status IS 'What became of a transaction: granted to which order, unclaimed and why, or revoked; and what the client should do.';

CREATE FUNCTION counterfoil.transaction_status_of(bundle_id text, environment text, transaction_id text, account_id text) RETURNS SETOF counterfoil.transaction_status
    LANGUAGE plpgsql STABLE ROWS 1
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.transaction_status_of(bundle_id text, environment text, transaction_id text, account_id text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.transaction_status_of(bundle_id text, environment text, transaction_id text, account_id text) IS 'What became of a transaction of the account, or of none, as a row of transaction_status. One of another account gives no row.';

CREATE FUNCTION counterfoil.transfer_order(of_order text, to_account text, who text, why text) RETURNS TABLE(is_new boolean, from_account text, account_now text)
    LANGUAGE plpgsql SECURITY DEFINER ROWS 1
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.transfer_order(of_order text, to_account text, who text, why text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.transfer_order(of_order text, to_account text, who text, why text) IS 'Private: makes a paid order another account''s, for a reason.';

CREATE FUNCTION counterfoil.unclaimed_for_order(of_order text) RETURNS TABLE(transaction_id text)
    LANGUAGE sql STABLE
    BEGIN ATOMIC …;
ALTER FUNCTION counterfoil.unclaimed_for_order(of_order text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.unclaimed_for_order(of_order text) IS 'Private: the unclaimed payments that may still fulfil an order.';

CREATE FUNCTION counterfoil.unread_changes(cursor text, bundle_ids text[], kinds text[]) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.unread_changes(cursor text, bundle_ids text[], kinds text[]) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.unread_changes(cursor text, bundle_ids text[], kinds text[]) IS 'Private: changes that an endpoint''s cursor hasn''t reached.';

CREATE FUNCTION counterfoil.upload_status(job_id bigint, account_id text) RETURNS TABLE(order_id text, bundle_id text, state text, reason text, client_action text, transaction_id text, environment text, product_id text, quantity integer, status text, paid_order_id text)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    SET jit TO 'off'
    AS …;
ALTER FUNCTION counterfoil.upload_status(job_id bigint, account_id text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.upload_status(job_id bigint, account_id text) IS 'What became of one upload of the account, and of each payment that its proof showed: status and client_action of each.';

CREATE FUNCTION counterfoil.webhook_body(kind text, at timestamp with time zone, data jsonb) RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.webhook_body(kind text, at timestamp with time zone, data jsonb) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.webhook_body(kind text, at timestamp with time zone, data jsonb) IS 'Private: what an endpoint is sent for a change.';

CREATE FUNCTION counterfoil.with_epoch(drawn bigint, numbers_an_epoch bigint) RETURNS bigint
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.with_epoch(drawn bigint, numbers_an_epoch bigint) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.with_epoch(drawn bigint, numbers_an_epoch bigint) IS 'Private: a drawn number with its epoch before it.';

CREATE FUNCTION counterfoil.without_accounts(of_text text, accounts text[], pseudonym text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS …;
ALTER FUNCTION counterfoil.without_accounts(of_text text, accounts text[], pseudonym text) OWNER TO counterfoil_owner;
COMMENT ON FUNCTION counterfoil.without_accounts(of_text text, accounts text[], pseudonym text) IS 'Private: a text in which the names of accounts are replaced.';

CREATE TABLE counterfoil.answered_orders (
    transaction_id text NOT NULL COLLATE pg_catalog."C",
    order_number bigint NOT NULL
);
ALTER TABLE counterfoil.answered_orders OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.answered_orders IS 'The orders that a payment answered without paying for them: they follow its refund, and the reversal of its refund.';

CREATE TABLE counterfoil.attempt_minutes (
    minute timestamp with time zone NOT NULL,
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    outcome text NOT NULL COLLATE pg_catalog."C",
    reason text NOT NULL COLLATE pg_catalog."C",
    proof_kind text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    attempts bigint NOT NULL
);
ALTER TABLE counterfoil.attempt_minutes OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.attempt_minutes IS 'How many attempts finished in a minute, by what came of them.';

CREATE VIEW counterfoil.lane_backlogs AS …;
ALTER TABLE counterfoil.lane_backlogs OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.lane_backlogs IS 'Private: what waits in each lane; a count of 10000 means that many or more.';

CREATE VIEW counterfoil.app_store_health AS …;
ALTER TABLE counterfoil.app_store_health OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.app_store_health IS 'Each gate: open or closed, by whom and why, what waits behind it (10000 means so many or more), and its app''s failures of the last hour in its environment.';

CREATE TABLE counterfoil.attempt_hours (
    hour timestamp with time zone NOT NULL,
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    outcome text NOT NULL COLLATE pg_catalog."C",
    reason text NOT NULL COLLATE pg_catalog."C",
    proof_kind text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    attempts bigint NOT NULL
);
ALTER TABLE counterfoil.attempt_hours OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.attempt_hours IS 'The same by the hour.';

CREATE TABLE counterfoil.other_attempts (
    job_id bigint NOT NULL,
    order_number bigint NOT NULL,
    lease_token bigint NOT NULL,
    attempt integer NOT NULL,
    disposition text NOT NULL,
    reason text,
    message text,
    proof_kind text,
    environment text,
    transaction_id text COLLATE pg_catalog."C",
    worker_id bigint,
    submitted_at timestamp with time zone NOT NULL,
    claimed_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone DEFAULT now() NOT NULL,
    shown_transaction_ids text[] COLLATE pg_catalog."C",
    app_version text COLLATE pg_catalog."C",
    CONSTRAINT disposition_is_known CHECK ((disposition = ANY (ARRAY['complete'::text, 'retry'::text, 'snooze'::text, 'release'::text, 'discard'::text, 'rescue'::text, 'cancel'::text])))
)
PARTITION BY RANGE (finished_at);
ALTER TABLE counterfoil.other_attempts OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.other_attempts IS 'One finished attempt that was no plain grant. Append-only; partitioned by month.';

CREATE VIEW counterfoil.attempts AS …;
ALTER TABLE counterfoil.attempts OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.attempts IS 'Every finished attempt: those that were plain grants, and the others.';

CREATE TABLE counterfoil.awaited_renewals (
    order_id text NOT NULL COLLATE pg_catalog."C",
    review_at timestamp with time zone NOT NULL
);
ALTER TABLE counterfoil.awaited_renewals OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.awaited_renewals IS 'Orders that wait for the renewal after a downgrade; some are paid, or cancelled, since.';

CREATE TABLE counterfoil.budgets (
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    endpoint text NOT NULL,
    environment text NOT NULL,
    calls_per_second double precision NOT NULL,
    next_call_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    CONSTRAINT budget_environment_is_known CHECK ((environment = ANY (ARRAY['production'::text, 'sandbox'::text]))),
    CONSTRAINT budget_is_positive CHECK (((calls_per_second > (0)::double precision) AND (calls_per_second <= (10000)::double precision))),
    CONSTRAINT budgeted_endpoint_is_known CHECK ((endpoint = ANY (ARRAY['get_transaction_info'::text, 'get_transaction_info_of_bare_id'::text, 'finish_transaction'::text, 'get_notification_history'::text, 'get_all_subscription_statuses'::text, 'send_consumption_information'::text])))
)
WITH (fillfactor='50');
ALTER TABLE counterfoil.budgets OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.budgets IS 'How many calls a second all workers together make for an app to an endpoint, and which time slots are taken.';

CREATE TABLE counterfoil.catch_ups (
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL,
    caught_up_to timestamp with time zone,
    whole_at timestamp with time zone,
    due_at timestamp with time zone DEFAULT now() NOT NULL,
    tried_at timestamp with time zone,
    held_until timestamp with time zone,
    failure text,
    CONSTRAINT catch_up_environment_is_known CHECK ((environment = ANY (ARRAY['production'::text, 'sandbox'::text])))
)
WITH (fillfactor='50');
ALTER TABLE counterfoil.catch_ups OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.catch_ups IS 'How far Apple''s history of notifications was read.';

CREATE TABLE counterfoil.changes (
    id bigint DEFAULT counterfoil.next_change_id() NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    kind text NOT NULL,
    orders bigint[],
    versions integer[],
    transaction_id text COLLATE pg_catalog."C",
    environment text,
    bundle_id text COLLATE pg_catalog."C",
    reason text,
    share integer,
    details jsonb,
    CONSTRAINT a_row_of_changes_has_1_to_100_orders CHECK ((((cardinality(orders) >= 1) AND (cardinality(orders) <= 100)) AND (cardinality(versions) = cardinality(orders))))
)
PARTITION BY RANGE (at);
ALTER TABLE ONLY counterfoil.changes ALTER COLUMN orders SET STORAGE MAIN;
ALTER TABLE ONLY counterfoil.changes ALTER COLUMN versions SET STORAGE MAIN;
ALTER TABLE counterfoil.changes OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.changes IS 'Private: the feed, a row for the orders that a statement moved, or for a payment. Append-only; partitioned by month.';

CREATE SEQUENCE counterfoil.change_ids
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER TABLE counterfoil.change_ids OWNER TO counterfoil_owner;
ALTER SEQUENCE counterfoil.change_ids OWNED BY counterfoil.changes.id;
ALTER TABLE counterfoil.consumption_answers ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME counterfoil.consumption_answers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE counterfoil.credential_refusals (
    lane integer NOT NULL,
    order_id text NOT NULL COLLATE pg_catalog."C",
    credential_digest bytea NOT NULL,
    proof_hash bytea NOT NULL,
    needs_credential boolean NOT NULL,
    is_of_proof boolean DEFAULT false NOT NULL,
    first_refused_at timestamp with time zone DEFAULT now() NOT NULL,
    refused_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT refused_credential_digest_has_32_bytes CHECK ((octet_length(credential_digest) = 32)),
    CONSTRAINT refused_proof_hash_has_32_bytes CHECK ((octet_length(proof_hash) = 32))
);
ALTER TABLE counterfoil.credential_refusals OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.credential_refusals IS 'The orders for whose proof Apple refused a lane''s secret or key; removed when Apple accepts it for them, or after 30 days.';

CREATE TABLE counterfoil.definitions (
    name text NOT NULL COLLATE pg_catalog."C",
    text_checksum text NOT NULL,
    checksum text NOT NULL,
    written_by text
);
ALTER TABLE counterfoil.definitions OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.definitions IS 'The routines and views that the last migration made, a row each.';

CREATE TABLE counterfoil.erasures (
    pseudonym text NOT NULL COLLATE pg_catalog."C",
    who text NOT NULL,
    why text NOT NULL,
    forgotten_at timestamp with time zone DEFAULT now() NOT NULL,
    database_transaction xid8,
    CONSTRAINT why_of_an_erasure_has_1_to_1000_characters CHECK (((length(why) >= 1) AND (length(why) <= 1000)))
);
ALTER TABLE counterfoil.erasures OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.erasures IS 'The accounts that were forgotten, by their pseudonyms.';

CREATE TABLE counterfoil.feed (
    one_row boolean DEFAULT true NOT NULL,
    server text NOT NULL,
    dropped_xid xid8 DEFAULT '0'::xid8 NOT NULL,
    dropped_id bigint DEFAULT 0 NOT NULL,
    epoch_offset integer DEFAULT 0 NOT NULL,
    CONSTRAINT there_is_one_feed CHECK (one_row)
);
ALTER TABLE counterfoil.feed OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.feed IS 'Which server the changes are of, and how far they were dropped.';

CREATE TABLE counterfoil.former_credentials (
    lane integer NOT NULL,
    credential_digest bytea NOT NULL,
    accepted_at timestamp with time zone NOT NULL,
    CONSTRAINT former_credential_digest_has_32_bytes CHECK ((octet_length(credential_digest) = 32))
);
ALTER TABLE counterfoil.former_credentials OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.former_credentials IS 'The secrets and keys that Apple accepted before another one of their lane.';
ALTER TABLE counterfoil.gates ALTER COLUMN lane ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME counterfoil.gates_lane_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE counterfoil.gateway_keys (
    hash bytea NOT NULL,
    prefix text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL COLLATE pg_catalog."C",
    scopes text[] NOT NULL,
    bundle_ids text[],
    made_at timestamp with time zone DEFAULT now() NOT NULL,
    made_by text NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    revoked_by text,
    why text,
    last_used_on date,
    exposed_at timestamp with time zone,
    CONSTRAINT key_hash_has_32_bytes CHECK ((octet_length(hash) = 32)),
    CONSTRAINT key_name_has_1_to_100_characters CHECK (((length(name) >= 1) AND (length(name) <= 100))),
    CONSTRAINT key_names_an_app CHECK ((cardinality(bundle_ids) > 0)),
    CONSTRAINT key_scopes_are_known CHECK (((scopes <@ ARRAY['orders'::text, 'read'::text, 'feed'::text, 'support'::text]) AND (cardinality(scopes) > 0))),
    CONSTRAINT revoked_keys_say_by_whom CHECK (((revoked_at IS NULL) = (revoked_by IS NULL)))
);
ALTER TABLE counterfoil.gateway_keys OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.gateway_keys IS 'The keys of the gateway, as digests, with what each may do.';

CREATE VIEW counterfoil.gateway_key_states AS …;
ALTER TABLE counterfoil.gateway_key_states OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.gateway_key_states IS 'The keys of the gateway: what each is for, whether it holds, and the day of its last use.';

CREATE VIEW counterfoil.grants AS …;
ALTER TABLE counterfoil.grants OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.grants IS 'The grants: which verified transaction paid for which order. The facts are Apple''s; a grant never changes.';

CREATE VIEW counterfoil.grants_by_hour AS …;
ALTER TABLE counterfoil.grants_by_hour OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.grants_by_hour IS 'Private: how many payments were granted in an hour.';

CREATE VIEW counterfoil.meant_waits AS …;
ALTER TABLE counterfoil.meant_waits OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.meant_waits IS 'The waits of a payer that are meant, each with its bound.';

CREATE VIEW counterfoil.notification_silence AS …;
ALTER TABLE counterfoil.notification_silence OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.notification_silence IS 'Private: when the notifications of an app came last, by environment.';

CREATE TABLE counterfoil.privileges (
    object text NOT NULL COLLATE pg_catalog."C",
    column_name text NOT NULL COLLATE pg_catalog."C",
    role text NOT NULL COLLATE pg_catalog."C",
    privilege text NOT NULL COLLATE pg_catalog."C"
);
ALTER TABLE counterfoil.privileges OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.privileges IS 'What the last migration granted to our roles.';

CREATE VIEW counterfoil.privileges_held AS …;
ALTER TABLE counterfoil.privileges_held OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.privileges_held IS 'Private: the privileges that roles have on the schema and on what is in it.';

CREATE VIEW counterfoil.privilege_differences AS …;
ALTER TABLE counterfoil.privilege_differences OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.privilege_differences IS 'Private: what privileges differ from what the last migration granted, each with the statement that puts it right.';

CREATE VIEW counterfoil.promise AS …;
ALTER TABLE counterfoil.promise OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.promise IS 'Payers who wait beyond the bound of their wait now, by what they wait for: how many, for how long, the order that waits longest. All zero is the promise.';

CREATE TABLE counterfoil.proofs (
    job_id bigint NOT NULL,
    order_id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    transaction_id text COLLATE pg_catalog."C",
    proof text NOT NULL,
    proof_hash bytea NOT NULL,
    reason text NOT NULL,
    is_judged boolean DEFAULT true NOT NULL,
    decides_order boolean DEFAULT false NOT NULL,
    kept_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT proof_hash_has_32_bytes CHECK ((octet_length(proof_hash) = 32))
)
WITH (toast.autovacuum_vacuum_scale_factor='0.05', toast.autovacuum_vacuum_cost_delay='0');
ALTER TABLE ONLY counterfoil.proofs ALTER COLUMN order_id SET (n_distinct=-0.5);
ALTER TABLE ONLY counterfoil.proofs ALTER COLUMN account_id SET (n_distinct=-0.5);
ALTER TABLE ONLY counterfoil.proofs ALTER COLUMN proof SET STORAGE EXTERNAL;
ALTER TABLE counterfoil.proofs OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.proofs IS 'The proof of a rejected, reviewed or refunded order, kept to be judged again.';

CREATE TABLE counterfoil.refused_notifications (
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    reason text NOT NULL,
    refused bigint DEFAULT 0 NOT NULL,
    first_at timestamp with time zone DEFAULT now() NOT NULL,
    last_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE counterfoil.refused_notifications OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.refused_notifications IS 'Texts that were sent as notifications and that Apple didn''t sign, counted.';

CREATE TABLE counterfoil.suspicion_minutes (
    minute timestamp with time zone NOT NULL,
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    reason text NOT NULL COLLATE pg_catalog."C",
    attempts bigint NOT NULL
);
ALTER TABLE counterfoil.suspicion_minutes OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.suspicion_minutes IS 'Proofs of an account that were duplicates, replays or forgeries; only accounts that sent any have rows.';

CREATE VIEW counterfoil.rejected_accounts AS …;
ALTER TABLE counterfoil.rejected_accounts OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.rejected_accounts IS 'Accounts that had a proof rejected, or held back as another''s, by app and reason: the last hour and day beside the time before, and whether that is more than chance.';

CREATE VIEW counterfoil.replication AS …;
ALTER TABLE counterfoil.replication OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.replication IS 'Whether commits wait for a standby, which standbys stream, how far they are behind, who waits for one, and which inactive slots keep the log: one row, with its level and how to mend it.';

CREATE TABLE counterfoil.roll_up_marks (
    one_row boolean DEFAULT true NOT NULL,
    counted_to timestamp with time zone NOT NULL,
    final_to timestamp with time zone NOT NULL,
    CONSTRAINT minutes_are_counted_before_they_are_final CHECK ((final_to <= counted_to)),
    CONSTRAINT there_is_one_mark CHECK (one_row)
)
WITH (fillfactor='50');
ALTER TABLE counterfoil.roll_up_marks OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.roll_up_marks IS 'How far the roll-ups have come.';

CREATE TABLE counterfoil.unreadable_notifications (
    kind text NOT NULL,
    refused bigint DEFAULT 0 NOT NULL,
    first_at timestamp with time zone,
    last_at timestamp with time zone
);
ALTER TABLE counterfoil.unreadable_notifications OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.unreadable_notifications IS 'Texts that were passed on as notifications and aren''t in Apple''s form, counted by kind.';

CREATE TABLE counterfoil.webhook_endpoints (
    number integer NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    url text NOT NULL,
    bundle_ids text[],
    kinds text[],
    rate integer NOT NULL,
    in_flight integer NOT NULL,
    made_at timestamp with time zone DEFAULT now() NOT NULL,
    made_by text NOT NULL,
    cursor text NOT NULL,
    read_at timestamp with time zone DEFAULT now() NOT NULL,
    began_anew_at timestamp with time zone,
    pace double precision NOT NULL,
    allowance double precision DEFAULT 1 NOT NULL,
    allowance_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    paused_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    probe_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    failures integer DEFAULT 0 NOT NULL,
    failing_since timestamp with time zone,
    handled bigint DEFAULT 0 NOT NULL,
    failed bigint DEFAULT 0 NOT NULL,
    last_handled_at timestamp with time zone,
    last_error text,
    last_error_at timestamp with time zone,
    off_since timestamp with time zone,
    off_because text,
    CONSTRAINT webhook_in_flight_is_1_to_100 CHECK (((in_flight >= 1) AND (in_flight <= 100))),
    CONSTRAINT webhook_is_off_for_a_known_cause CHECK ((off_because = ANY (ARRAY['operator'::text, 'gone'::text, 'failing'::text, 'restored'::text]))),
    CONSTRAINT webhook_name_is_lower_case_letters_digits_hyphens CHECK ((name ~ '^[a-z0-9][a-z0-9-]{0,49}$'::text)),
    CONSTRAINT webhook_names_a_kind CHECK ((cardinality(kinds) > 0)),
    CONSTRAINT webhook_names_an_app CHECK ((cardinality(bundle_ids) > 0)),
    CONSTRAINT webhook_rate_is_1_to_1000 CHECK (((rate >= 1) AND (rate <= 1000))),
    CONSTRAINT webhook_url_is_https CHECK (((length(url) <= 1000) AND (url ~ '^https://([a-z0-9.-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?([/?][^#[:space:]]*)?$'::text))),
    CONSTRAINT webhooks_that_are_off_say_why CHECK (((off_since IS NULL) = (off_because IS NULL)))
)
WITH (fillfactor='50');
ALTER TABLE counterfoil.webhook_endpoints OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.webhook_endpoints IS 'Where a shop''s servers want to be called, how far the feed was read for each, and how it fares.';

CREATE TABLE counterfoil.webhook_events (
    endpoint integer NOT NULL,
    event_id text NOT NULL COLLATE pg_catalog."C",
    change_id bigint NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    changed_at timestamp with time zone NOT NULL,
    body text NOT NULL,
    since timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    next_at timestamp with time zone,
    error text,
    lease_token integer DEFAULT 0 NOT NULL,
    lease_expires_at timestamp with time zone
)
WITH (fillfactor='70');
ALTER TABLE counterfoil.webhook_events OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.webhook_events IS 'Private: changes on their way to an endpoint.';

CREATE VIEW counterfoil.webhook_status AS …;
ALTER TABLE counterfoil.webhook_status OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.webhook_status IS 'The endpoints of webhooks: what waits for each, how late it is, and its last error.';

CREATE TABLE counterfoil.workers (
    id bigint NOT NULL,
    name text NOT NULL,
    host text NOT NULL,
    pid integer NOT NULL,
    version text NOT NULL,
    slots integer NOT NULL,
    running integer DEFAULT 0 NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    heartbeat_at timestamp with time zone DEFAULT now() NOT NULL
)
WITH (fillfactor='50');
ALTER TABLE counterfoil.workers OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.workers IS 'A running worker, with its last sign of life.';

CREATE VIEW counterfoil.worker_activity AS …;
ALTER TABLE counterfoil.worker_activity OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.worker_activity IS 'Each worker with its last sign of life and the jobs that it holds; one that holds jobs and has no row is gone.';

CREATE VIEW counterfoil.health AS …;
ALTER TABLE counterfoil.health OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.health IS 'What is about to hurt (level ok, warning or critical) and how to mend it: payers who wait too long, old snapshots, dead rows, bloated indexes, waiting and parked jobs, lost privileges, refused settlements, silent workers, rising rejections, much disk for kept proofs, missing partitions, used numbers, exposed keys, answers that Apple doesn''t take, replication, harmful publications, deadlocks.';

CREATE TABLE counterfoil.imports (
    database_transaction xid8 NOT NULL
);
ALTER TABLE counterfoil.imports OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.imports IS 'The database transactions that import grants now: of these the feed isn''t told. A row lasts as long as its import.';

CREATE TABLE counterfoil.index_makers (
    one_row boolean DEFAULT true NOT NULL,
    pid integer NOT NULL,
    started_at timestamp with time zone NOT NULL,
    CONSTRAINT one_session_makes_indexes CHECK (one_row)
);
ALTER TABLE counterfoil.index_makers OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.index_makers IS 'The session that makes indexes concurrently, outside of any database transaction; it counts while that session lives.';

CREATE SEQUENCE counterfoil.job_ids
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER TABLE counterfoil.job_ids OWNER TO counterfoil_owner;
ALTER SEQUENCE counterfoil.job_ids OWNED BY counterfoil.jobs.id;

CREATE TABLE counterfoil.latency_minutes (
    minute timestamp with time zone NOT NULL,
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    measure text NOT NULL COLLATE pg_catalog."C",
    buckets smallint[] NOT NULL,
    reached bigint[] NOT NULL,
    CONSTRAINT every_bucket_is_counted CHECK (((cardinality(reached) > 0) AND (cardinality(reached) = cardinality(buckets)))),
    CONSTRAINT measure_is_known CHECK ((measure = ANY (ARRAY['pick_up'::text, 'attempt'::text, 'fulfilment'::text])))
);
ALTER TABLE counterfoil.latency_minutes OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.latency_minutes IS 'How long it took from the upload to the first claim, from a claim to its end, and from the upload to the grant.';

CREATE VIEW counterfoil.latency AS …;
ALTER TABLE counterfoil.latency OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.latency IS 'Seconds from the upload to the first claim (pick_up), from a claim to its end (attempt) and from the upload to the grant (fulfilment), in each minute of the last 24 hours.';

CREATE VIEW counterfoil.latency_buckets AS …;
ALTER TABLE counterfoil.latency_buckets OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.latency_buckets IS 'Private: the histograms of latency_minutes, a row for each bucket.';

CREATE TABLE counterfoil.latency_hours (
    hour timestamp with time zone NOT NULL,
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    measure text NOT NULL COLLATE pg_catalog."C",
    buckets smallint[] NOT NULL,
    reached bigint[] NOT NULL,
    CONSTRAINT every_bucket_is_counted CHECK (((cardinality(reached) > 0) AND (cardinality(reached) = cardinality(buckets)))),
    CONSTRAINT measure_is_known CHECK ((measure = ANY (ARRAY['pick_up'::text, 'attempt'::text, 'fulfilment'::text])))
);
ALTER TABLE counterfoil.latency_hours OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.latency_hours IS 'The same by the hour.';

CREATE VIEW counterfoil.latency_by_hour AS …;
ALTER TABLE counterfoil.latency_by_hour OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.latency_by_hour IS 'Seconds from the upload to the first claim (pick_up), from a claim to its end (attempt) and from the upload to the grant (fulfilment), in each hour of the last 30 days.';

CREATE VIEW counterfoil.ledger AS …;
ALTER TABLE counterfoil.ledger OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.ledger IS 'Private: every verified transaction, and the order that it paid for, by its id.';

CREATE TABLE counterfoil.migrations (
    id integer NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    breaking boolean NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE counterfoil.migrations OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.migrations IS 'One row a migration that this database has had.';

CREATE TABLE counterfoil.moves (
    id bigint NOT NULL,
    order_number bigint,
    from_account text NOT NULL COLLATE pg_catalog."C",
    to_account text NOT NULL COLLATE pg_catalog."C",
    who text NOT NULL,
    why text NOT NULL,
    moved_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT why_of_a_move_has_1_to_1000_characters CHECK (((length(why) >= 1) AND (length(why) <= 1000)))
);
ALTER TABLE counterfoil.moves OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.moves IS 'Accounts that were moved to another, and orders that were transferred. Append-only.';
ALTER TABLE counterfoil.moves ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME counterfoil.moves_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE counterfoil.notifications ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME counterfoil.notifications_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE VIEW counterfoil.open_reviews AS …;
ALTER TABLE counterfoil.open_reviews OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.open_reviews IS 'Private: the orders that a person has to decide about.';

CREATE TABLE counterfoil.order_events (
    id bigint NOT NULL,
    order_id text NOT NULL COLLATE pg_catalog."C",
    occurred_at timestamp with time zone DEFAULT now() NOT NULL,
    kind text NOT NULL,
    who text DEFAULT SESSION_USER NOT NULL,
    why text NOT NULL,
    CONSTRAINT order_event_kind_is_known CHECK ((kind = ANY (ARRAY['cancelled'::text, 'imported'::text, 'assigned'::text, 'refunded'::text, 'refund_reversed'::text, 'judged_again'::text, 'job_retried'::text, 'job_discarded'::text, 'job_cancelled'::text, 'found'::text, 'proof_read'::text]))),
    CONSTRAINT why_has_1_to_1000_characters CHECK (((length(why) >= 1) AND (length(why) <= 1000)))
);
ALTER TABLE counterfoil.order_events OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.order_events IS 'A change to an order that settlement did not make by itself. Append-only.';
ALTER TABLE counterfoil.order_events ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME counterfoil.order_events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE counterfoil.sandbox_accounts (
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE counterfoil.sandbox_accounts OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.sandbox_accounts IS 'An account whose sandbox purchases count under the policy ''listed''.';

CREATE VIEW counterfoil.order_facts AS …;
ALTER TABLE counterfoil.order_facts OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.order_facts IS 'Private: what an attempt must know of its order.';

CREATE VIEW counterfoil.order_story AS …;
ALTER TABLE counterfoil.order_story OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.order_story IS 'One order''s whole story: ordered, uploaded, each attempt, granted, taken back, what Apple told, and what was done by hand. Look it up by order_id.';

CREATE TABLE counterfoil.orders_in_review (
    order_id text NOT NULL COLLATE pg_catalog."C",
    since timestamp with time zone NOT NULL,
    app_version text COLLATE pg_catalog."C"
);
ALTER TABLE counterfoil.orders_in_review OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.orders_in_review IS 'The orders that attempts, and reversed refunds, left in review, so that nobody looks through all orders for them; some have left since.';
ALTER TABLE counterfoil.orders ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME counterfoil.orders_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE counterfoil.originals (
    original_transaction_id text NOT NULL COLLATE pg_catalog."C",
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C"
);
ALTER TABLE counterfoil.originals OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.originals IS 'Locks of payments that may have several names. The rows have no other meaning.';

CREATE VIEW counterfoil.overview AS …;
ALTER TABLE counterfoil.overview OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.overview IS 'How things are now, in one row: what waits, what runs, what was done in the last 5 minutes and how fast, who works, and what needs a person. Counts of 10000, and 1000 orders in review, mean so many or more';

CREATE VIEW counterfoil.paid_not_delivered AS …;
ALTER TABLE counterfoil.paid_not_delivered OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.paid_not_delivered IS 'Payments that were verified and not granted: why, and the order and account that showed them; the latest thousand.';

CREATE TABLE counterfoil.period_ends (
    transaction_id text NOT NULL COLLATE pg_catalog."C",
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    ends_at timestamp with time zone NOT NULL,
    as_of timestamp with time zone NOT NULL
)
WITH (fillfactor='90');
ALTER TABLE counterfoil.period_ends OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.period_ends IS 'When each period of a subscription ends, by Apple''s newest word.';

CREATE VIEW counterfoil.problems AS …;
ALTER TABLE counterfoil.problems OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.problems IS 'Private: the problem that the gateway answers with where a rule is broken, by rule.';

CREATE TABLE counterfoil.product_hours (
    hour timestamp with time zone NOT NULL,
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    product_id text NOT NULL COLLATE pg_catalog."C",
    ordered bigint NOT NULL,
    judged bigint NOT NULL,
    fulfilled bigint NOT NULL,
    rejected bigint NOT NULL,
    reviewed bigint NOT NULL,
    refunded bigint NOT NULL
);
ALTER TABLE counterfoil.product_hours OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.product_hours IS 'The same by the hour.';

CREATE VIEW counterfoil.product_funnel AS …;
ALTER TABLE counterfoil.product_funnel OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.product_funnel IS 'Each product''s orders, judged proofs, and grants, rejections, reviews and refunds of the last 7 days.';

CREATE TABLE counterfoil.product_minutes (
    minute timestamp with time zone NOT NULL,
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    product_id text NOT NULL COLLATE pg_catalog."C",
    ordered bigint NOT NULL,
    judged bigint NOT NULL,
    fulfilled bigint NOT NULL,
    rejected bigint NOT NULL,
    reviewed bigint NOT NULL,
    refunded bigint NOT NULL
);
ALTER TABLE counterfoil.product_minutes OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.product_minutes IS 'What happened to the orders of a product in a minute.';

CREATE VIEW counterfoil.purchase_terms AS …;
ALTER TABLE counterfoil.purchase_terms OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.purchase_terms IS 'What Apple signed of each payment for the shop to act on: price, offer, plan, storefront, seats. Look one up by transaction_id.';

CREATE VIEW counterfoil.refusal_standings AS …;
ALTER TABLE counterfoil.refusal_standings OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.refusal_standings IS 'Private: what each refusal of a lane''s secret or key says, in the light of what Apple accepted since.';

CREATE VIEW counterfoil.rejections AS …;
ALTER TABLE counterfoil.rejections OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.rejections IS 'Proofs that were rejected, left to a person or given up in the last 24 hours and hour, by app and reason.';
ALTER TABLE counterfoil.revocations ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME counterfoil.revocations_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE VIEW counterfoil.role_settings AS …;
ALTER TABLE counterfoil.role_settings OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.role_settings IS 'Private: the settings that our roles should have in this database, and those that they have.';

CREATE VIEW counterfoil.rules AS …;
ALTER TABLE counterfoil.rules OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.rules IS 'Private: the errors by which routines refuse what a backend sends; refuse raises them.';

CREATE VIEW counterfoil.stored_notifications AS …;
ALTER TABLE counterfoil.stored_notifications OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.stored_notifications IS 'Notifications without an effect on orders and payments, decoded. Look one up by notification_uuid.';

CREATE VIEW counterfoil.stuck_orders AS …;
ALTER TABLE counterfoil.stuck_orders OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.stuck_orders IS 'Orders whose proof has waited for 15 minutes, and orders in review: why, and since when. The oldest thousand of each, and the next of each gate.';

CREATE VIEW counterfoil.suspicious_accounts AS …;
ALTER TABLE counterfoil.suspicious_accounts OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.suspicious_accounts IS 'Accounts that sent duplicates, others'' payments, forgeries or sandbox purchases that don''t count, in the last 7 days.';

CREATE VIEW counterfoil.throughput AS …;
ALTER TABLE counterfoil.throughput OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.throughput IS 'How many attempts finished in each minute of the last 24 hours, by app and by what came of them.';

CREATE VIEW counterfoil.throughput_by_hour AS …;
ALTER TABLE counterfoil.throughput_by_hour OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.throughput_by_hour IS 'How many attempts finished in each hour of the last 30 days, by app and by what came of them.';

CREATE TABLE counterfoil.told_payments (
    transaction_id text NOT NULL COLLATE pg_catalog."C",
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    original_transaction_id text NOT NULL COLLATE pg_catalog."C",
    purchased_at timestamp with time zone NOT NULL,
    name text NOT NULL,
    account_id text COLLATE pg_catalog."C",
    share integer,
    is_refunded boolean NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    CONSTRAINT told_name_is_known CHECK ((name = ANY (ARRAY['unclaimed'::text, 'renewal'::text, 'granted'::text, 'restored'::text])))
)
WITH (fillfactor='90');
ALTER TABLE counterfoil.told_payments OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.told_payments IS 'Private: what the feed told last of each payment that no order had then.';

CREATE TABLE counterfoil.told_subscriptions (
    original_transaction_id text NOT NULL COLLATE pg_catalog."C",
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C",
    state jsonb NOT NULL
)
WITH (fillfactor='70');
ALTER TABLE counterfoil.told_subscriptions OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.told_subscriptions IS 'Private: what the feed told last of each subscription.';

CREATE VIEW counterfoil.unclaimed_transactions AS …;
ALTER TABLE counterfoil.unclaimed_transactions OWNER TO counterfoil_owner;
COMMENT ON VIEW counterfoil.unclaimed_transactions IS 'Every verified, paid, unrevoked transaction that was not granted, with the reason. It leaves when it is granted.';

CREATE TABLE counterfoil.unfound_payments (
    lane integer NOT NULL,
    account_id text NOT NULL COLLATE pg_catalog."C",
    transaction_id text NOT NULL COLLATE pg_catalog."C",
    credential_digest bytea NOT NULL,
    first_asked_at timestamp with time zone DEFAULT now() NOT NULL,
    asked_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT unfound_credential_digest_has_32_bytes CHECK ((octet_length(credential_digest) = 32))
);
ALTER TABLE counterfoil.unfound_payments OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.unfound_payments IS 'The accounts whose payments Apple signed and doesn''t know, by a key that has found nothing yet; removed when it finds one, or after 30 days.';

CREATE TABLE counterfoil.webhook_acts (
    endpoint integer NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    kind text NOT NULL,
    about text,
    who text NOT NULL,
    why text,
    CONSTRAINT webhook_act_is_known CHECK ((kind = ANY (ARRAY['added'::text, 'enabled'::text, 'disabled'::text, 'resent'::text, 'replayed'::text, 'skipped'::text]))),
    CONSTRAINT webhook_why_has_1_to_1000_characters CHECK (((length(why) >= 1) AND (length(why) <= 1000)))
);
ALTER TABLE counterfoil.webhook_acts OWNER TO counterfoil_owner;
COMMENT ON TABLE counterfoil.webhook_acts IS 'What operators did about the endpoints of webhooks, and why.';
ALTER TABLE counterfoil.webhook_endpoints ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME counterfoil.webhook_endpoints_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE counterfoil.workers ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME counterfoil.workers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE ONLY counterfoil.apps
    ADD CONSTRAINT apps_pkey PRIMARY KEY (bundle_id);
ALTER TABLE ONLY counterfoil.attempt_hours
    ADD CONSTRAINT attempt_hours_pkey PRIMARY KEY (hour, bundle_id, outcome, reason, proof_kind, environment);
ALTER TABLE ONLY counterfoil.attempt_minutes
    ADD CONSTRAINT attempt_minutes_pkey PRIMARY KEY (minute, bundle_id, outcome, reason, proof_kind, environment);
ALTER TABLE ONLY counterfoil.awaited_renewals
    ADD CONSTRAINT awaited_renewals_pkey PRIMARY KEY (order_id);
ALTER TABLE ONLY counterfoil.budgets
    ADD CONSTRAINT budgets_pkey PRIMARY KEY (bundle_id, endpoint, environment);
ALTER TABLE ONLY counterfoil.catch_ups
    ADD CONSTRAINT catch_ups_pkey PRIMARY KEY (bundle_id, environment);
ALTER TABLE ONLY counterfoil.consumption_answers
    ADD CONSTRAINT consumption_answers_pkey PRIMARY KEY (id);
ALTER TABLE ONLY counterfoil.consumption_requests
    ADD CONSTRAINT consumption_requests_pkey PRIMARY KEY (notification_id);
ALTER TABLE ONLY counterfoil.credential_refusals
    ADD CONSTRAINT credential_refusals_pkey PRIMARY KEY (lane, order_id);
ALTER TABLE ONLY counterfoil.definitions
    ADD CONSTRAINT definitions_pkey PRIMARY KEY (name);
ALTER TABLE ONLY counterfoil.erasures
    ADD CONSTRAINT erasures_pkey PRIMARY KEY (pseudonym);
ALTER TABLE ONLY counterfoil.feed
    ADD CONSTRAINT feed_pkey PRIMARY KEY (one_row);
ALTER TABLE ONLY counterfoil.former_credentials
    ADD CONSTRAINT former_credentials_pkey PRIMARY KEY (lane, credential_digest);
ALTER TABLE ONLY counterfoil.gates
    ADD CONSTRAINT gates_pkey PRIMARY KEY (lane);
ALTER TABLE ONLY counterfoil.imports
    ADD CONSTRAINT imports_pkey PRIMARY KEY (database_transaction);
ALTER TABLE ONLY counterfoil.index_makers
    ADD CONSTRAINT index_makers_pkey PRIMARY KEY (one_row);
ALTER TABLE ONLY counterfoil.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY counterfoil.gateway_keys
    ADD CONSTRAINT key_digests_are_unique PRIMARY KEY (hash);
ALTER TABLE ONLY counterfoil.gateway_keys
    ADD CONSTRAINT key_prefixes_are_unique UNIQUE (prefix);
ALTER TABLE ONLY counterfoil.latency_hours
    ADD CONSTRAINT latency_hours_pkey PRIMARY KEY (hour, bundle_id, measure);
ALTER TABLE ONLY counterfoil.latency_minutes
    ADD CONSTRAINT latency_minutes_pkey PRIMARY KEY (minute, bundle_id, measure);
ALTER TABLE ONLY counterfoil.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY counterfoil.moved_accounts
    ADD CONSTRAINT moved_accounts_pkey PRIMARY KEY (account_id);
ALTER TABLE ONLY counterfoil.moved_orders
    ADD CONSTRAINT moved_orders_pkey PRIMARY KEY (order_number);
ALTER TABLE ONLY counterfoil.moves
    ADD CONSTRAINT moves_pkey PRIMARY KEY (id);
ALTER TABLE ONLY counterfoil.notifications
    ADD CONSTRAINT notifications_pkey PRIMARY KEY (id);
ALTER TABLE ONLY counterfoil.accesses
    ADD CONSTRAINT one_access_a_transaction PRIMARY KEY (transaction_id, bundle_id, environment);
ALTER TABLE ONLY counterfoil.period_ends
    ADD CONSTRAINT one_end_a_period PRIMARY KEY (transaction_id, bundle_id, environment);
ALTER TABLE ONLY counterfoil.revocations
    ADD CONSTRAINT one_entry_a_revocation UNIQUE NULLS NOT DISTINCT (original_transaction_id, transaction_id, bundle_id, environment, as_of, kind, share, seats, web_order_line_item_id);
ALTER TABLE ONLY counterfoil.gates
    ADD CONSTRAINT one_gate_a_lane UNIQUE NULLS NOT DISTINCT (bundle_id, route, environment);
ALTER TABLE ONLY counterfoil.payments
    ADD CONSTRAINT one_grant_a_transaction_id PRIMARY KEY (transaction_id, bundle_id, environment);
ALTER TABLE ONLY counterfoil.originals
    ADD CONSTRAINT one_lock_an_original PRIMARY KEY (original_transaction_id, bundle_id, environment);
ALTER TABLE ONLY counterfoil.subscriptions
    ADD CONSTRAINT one_row_a_subscription PRIMARY KEY (original_transaction_id, bundle_id, environment);
ALTER TABLE ONLY counterfoil.answered_orders
    ADD CONSTRAINT one_row_an_answer PRIMARY KEY (transaction_id, order_number);
ALTER TABLE ONLY counterfoil.told_payments
    ADD CONSTRAINT one_telling_a_payment PRIMARY KEY (transaction_id, bundle_id, environment);
ALTER TABLE ONLY counterfoil.told_subscriptions
    ADD CONSTRAINT one_telling_a_subscription PRIMARY KEY (original_transaction_id, bundle_id, environment);
ALTER TABLE ONLY counterfoil.order_events
    ADD CONSTRAINT order_events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY counterfoil.orders
    ADD CONSTRAINT order_ids_are_unique PRIMARY KEY (order_id);
ALTER TABLE ONLY counterfoil.orders
    ADD CONSTRAINT order_numbers_are_unique UNIQUE (number);
ALTER TABLE ONLY counterfoil.orders_in_review
    ADD CONSTRAINT orders_in_review_pkey PRIMARY KEY (order_id);
ALTER TABLE ONLY counterfoil.privileges
    ADD CONSTRAINT privileges_pkey PRIMARY KEY (object, role, privilege, column_name);
ALTER TABLE ONLY counterfoil.product_hours
    ADD CONSTRAINT product_hours_pkey PRIMARY KEY (hour, bundle_id, product_id);
ALTER TABLE ONLY counterfoil.product_minutes
    ADD CONSTRAINT product_minutes_pkey PRIMARY KEY (minute, bundle_id, product_id);
ALTER TABLE ONLY counterfoil.products
    ADD CONSTRAINT products_pkey PRIMARY KEY (bundle_id, product_id);
ALTER TABLE ONLY counterfoil.proofs
    ADD CONSTRAINT proofs_pkey PRIMARY KEY (job_id);
ALTER TABLE ONLY counterfoil.refused_notifications
    ADD CONSTRAINT refused_notifications_pkey PRIMARY KEY (bundle_id, reason);
ALTER TABLE ONLY counterfoil.revocations
    ADD CONSTRAINT revocations_pkey PRIMARY KEY (id);
ALTER TABLE ONLY counterfoil.roll_up_marks
    ADD CONSTRAINT roll_up_marks_pkey PRIMARY KEY (one_row);
ALTER TABLE ONLY counterfoil.sandbox_accounts
    ADD CONSTRAINT sandbox_accounts_pkey PRIMARY KEY (bundle_id, account_id);
ALTER TABLE counterfoil.payments
    ADD CONSTRAINT signed_price_names_its_currency CHECK ((((price_milliunits IS NULL) = (currency IS NULL)) AND (price_milliunits >= 0) AND (currency ~ '^[A-Z]{3}$'::text))) NOT VALID;
ALTER TABLE ONLY counterfoil.suspicion_minutes
    ADD CONSTRAINT suspicion_minutes_pkey PRIMARY KEY (minute, bundle_id, account_id, reason);
ALTER TABLE ONLY counterfoil.unfound_payments
    ADD CONSTRAINT unfound_payments_pkey PRIMARY KEY (lane, account_id);
ALTER TABLE ONLY counterfoil.unreadable_notifications
    ADD CONSTRAINT unreadable_notifications_pkey PRIMARY KEY (kind);
ALTER TABLE ONLY counterfoil.webhook_endpoints
    ADD CONSTRAINT webhook_endpoints_pkey PRIMARY KEY (number);
ALTER TABLE ONLY counterfoil.webhook_events
    ADD CONSTRAINT webhook_events_pkey PRIMARY KEY (endpoint, event_id);
ALTER TABLE ONLY counterfoil.webhook_endpoints
    ADD CONSTRAINT webhook_names_are_unique UNIQUE (name);
ALTER TABLE ONLY counterfoil.workers
    ADD CONSTRAINT workers_pkey PRIMARY KEY (id);

CREATE INDEX accesses_by_account ON counterfoil.accesses USING btree (account_id, original_transaction_id) WHERE (account_id IS NOT NULL);

CREATE INDEX accesses_by_original ON counterfoil.accesses USING btree (original_transaction_id, bundle_id, environment, purchased_at);

CREATE UNIQUE INDEX an_order_keeps_a_proof_once ON counterfoil.proofs USING btree (order_id, proof_hash);

CREATE INDEX available_jobs ON counterfoil.jobs USING btree (lane, priority, run_at, id) WHERE (state = 'available'::text);

CREATE INDEX awaited_renewals_by_time ON counterfoil.awaited_renewals USING btree (review_at);

CREATE INDEX changes_by_id ON ONLY counterfoil.changes USING btree (id);

CREATE INDEX changes_by_xid ON ONLY counterfoil.changes USING btree (xid);

CREATE INDEX changes_with_details ON ONLY counterfoil.changes USING btree (transaction_id) WHERE (details IS NOT NULL);

CREATE INDEX consumption_answers_by_question ON counterfoil.consumption_answers USING btree (notification_id, id);

CREATE INDEX consumption_requests_by_deadline ON counterfoil.consumption_requests USING btree (deadline);

CREATE INDEX consumption_requests_by_transaction ON counterfoil.consumption_requests USING btree (transaction_id);

CREATE INDEX denied_notifications ON counterfoil.notifications USING btree (original_transaction_id, bundle_id, environment, signed_at) WHERE (outcome = 'denied'::text);

CREATE INDEX discarded_jobs ON counterfoil.jobs USING btree (reason) WHERE (state = 'discarded'::text);

CREATE INDEX discarded_jobs_by_id ON counterfoil.jobs USING btree (id) WHERE (state = 'discarded'::text);

CREATE INDEX first_periods_ungranted_by_line_item ON counterfoil.payments USING btree (web_order_line_item_id) WHERE ((original_transaction_id = transaction_id) AND (web_order_line_item_id IS NOT NULL) AND (reason IS NOT NULL));

CREATE INDEX jobs_beside_others ON counterfoil.jobs USING btree (order_number) WHERE (NOT is_alone);

CREATE INDEX leases ON counterfoil.jobs USING btree (lease_expires_at) WHERE (lease_expires_at > '-infinity'::timestamp with time zone);

CREATE INDEX lost_consumption_answers ON counterfoil.consumption_answers USING btree (ended_at) WHERE (state = ANY (ARRAY['refused'::text, 'late'::text]));

CREATE INDEX moved_accounts_by_account ON counterfoil.moved_accounts USING btree (account_now);

CREATE INDEX moved_orders_by_account ON counterfoil.moved_orders USING btree (account_id);

CREATE INDEX moved_orders_by_original ON counterfoil.moved_orders USING btree (original_transaction_id, bundle_id, environment, purchased_at);

CREATE INDEX moves_by_order ON counterfoil.moves USING btree (order_number) WHERE (order_number IS NOT NULL);

CREATE INDEX moves_from_account ON counterfoil.moves USING btree (from_account);

CREATE INDEX moves_to_account ON counterfoil.moves USING btree (to_account);

CREATE INDEX notifications_by_age ON counterfoil.notifications USING btree (received_at) WHERE (payload IS NOT NULL);

CREATE INDEX notifications_by_app ON counterfoil.notifications USING btree (bundle_id, environment, received_at);

CREATE INDEX notifications_by_order ON counterfoil.notifications USING btree (order_id) WHERE (order_id IS NOT NULL);

CREATE INDEX notifications_by_transaction ON counterfoil.notifications USING btree (transaction_id) WHERE (transaction_id IS NOT NULL);

CREATE INDEX notifications_of_unknown_apps ON counterfoil.notifications USING btree (bundle_id, id) WHERE ((outcome IS NULL) AND (NOT is_of_an_app));

CREATE INDEX odd_notifications ON counterfoil.notifications USING btree (processed_at) WHERE (outcome = 'odd'::text);

CREATE UNIQUE INDEX one_answer_a_question ON counterfoil.consumption_answers USING btree (notification_id) WHERE (state <> 'refused'::text);

CREATE UNIQUE INDEX one_effect_of_a_notification ON counterfoil.notifications USING btree (notification_uuid, bundle_id, environment) WHERE (outcome IS NOT NULL);

CREATE UNIQUE INDEX one_grant_a_payment ON counterfoil.payments USING btree (payment_key, bundle_id, environment) WHERE ((granted_at IS NOT NULL) AND (payment_key IS NOT NULL));

CREATE UNIQUE INDEX one_grant_an_order ON counterfoil.payments USING btree (order_number) WHERE (order_number IS NOT NULL);

CREATE UNIQUE INDEX one_job_a_notification ON counterfoil.jobs USING btree (notification_id) WHERE (kind = 'notification'::text);

CREATE UNIQUE INDEX one_job_of_an_order_runs_at_a_time ON counterfoil.jobs USING btree (order_number, (
CASE
    WHEN (state = 'running'::text) THEN (0)::bigint
    ELSE id
END));

CREATE UNIQUE INDEX one_text_of_a_notification ON counterfoil.notifications USING btree (notification_uuid, bundle_id, environment, payload_hash);

CREATE INDEX open_consumption_requests ON counterfoil.consumption_requests USING btree (deadline) WHERE (closed_at IS NULL);

CREATE INDEX order_events_by_order ON counterfoil.order_events USING btree (order_id);

CREATE INDEX orders_by_account ON counterfoil.orders USING btree (account_id, product_id, created_at);

CREATE INDEX orders_by_app_account_token ON counterfoil.orders USING btree (app_account_token, account_id) WHERE (app_account_token IS NOT NULL);

CREATE INDEX orders_by_time ON counterfoil.orders USING brin (created_at) WITH (autosummarize='on');

CREATE INDEX orders_in_review_by_age ON counterfoil.orders_in_review USING btree (since);

CREATE INDEX orders_of_account ON counterfoil.orders USING btree (((account_id || ''::text)), created_at);

CREATE INDEX other_attempts_by_order ON ONLY counterfoil.other_attempts USING btree (order_number);

CREATE INDEX other_attempts_by_time ON ONLY counterfoil.other_attempts USING brin (finished_at) WITH (autosummarize='on');

CREATE INDEX payments_by_customer ON counterfoil.payments USING btree (customer_id, account_id) WHERE ((customer_id IS NOT NULL) AND (account_id IS NOT NULL));

CREATE INDEX payments_by_original ON counterfoil.payments USING btree (original_transaction_id, bundle_id, environment, purchased_at) WHERE (original_transaction_id <> transaction_id);

CREATE INDEX payments_by_plain_grant ON counterfoil.payments USING brin (granted_at) WITH (autosummarize='on') WHERE (lease_token IS NOT NULL);

CREATE INDEX payments_ungranted_by_account ON counterfoil.payments USING btree (account_id, seen_at) WHERE ((reason IS NOT NULL) AND (account_id IS NOT NULL));

CREATE INDEX payments_ungranted_by_age ON counterfoil.payments USING btree (seen_at) WHERE (reason <> ALL (ARRAY['renewal'::text, 'restored'::text, 'refunded'::text, 'before_ledger'::text]));

CREATE INDEX payments_ungranted_by_order ON counterfoil.payments USING btree (shown_by_number) WHERE (reason IS NOT NULL);

CREATE INDEX payments_ungranted_by_token ON counterfoil.payments USING btree (app_account_token) WHERE ((reason IS NOT NULL) AND (app_account_token IS NOT NULL));

CREATE INDEX periods_by_line_item ON counterfoil.payments USING btree (web_order_line_item_id, bundle_id, environment) WHERE ((original_transaction_id <> transaction_id) AND (web_order_line_item_id IS NOT NULL));

CREATE INDEX periods_that_name_an_account ON counterfoil.payments USING btree (original_transaction_id, bundle_id, environment, purchased_at) WHERE ((original_transaction_id <> transaction_id) AND ((granted_at IS NOT NULL) OR (reason = ANY (ARRAY['refunded'::text, 'partly_refunded'::text]))));

CREATE INDEX periods_with_a_token ON counterfoil.payments USING btree (original_transaction_id, bundle_id, environment, app_account_token, purchased_at) WHERE ((original_transaction_id <> transaction_id) AND (app_account_token IS NOT NULL));

CREATE INDEX proofs_by_account ON counterfoil.proofs USING btree (account_id, kept_at);

CREATE INDEX proofs_by_age ON counterfoil.proofs USING btree (kept_at);

CREATE INDEX refused_settlements ON counterfoil.jobs USING btree (id) WHERE (reason = 'settlement_refused'::text);

CREATE INDEX subscriptions_by_renewal ON counterfoil.subscriptions USING btree (bundle_id, environment, renews_at) WHERE will_renew;

CREATE INDEX suspicion_minutes_by_account ON counterfoil.suspicion_minutes USING btree (account_id);

CREATE INDEX told_payments_by_original ON counterfoil.told_payments USING btree (original_transaction_id, bundle_id, environment, purchased_at) WHERE (name = ANY (ARRAY['unclaimed'::text, 'renewal'::text]));

CREATE INDEX unverified_notifications ON counterfoil.notifications USING btree (bundle_id, id) WHERE ((outcome IS NULL) AND is_of_an_app);

CREATE INDEX waiting_consumption_answers ON counterfoil.consumption_answers USING btree (next_at) WHERE (state = 'waiting'::text);

CREATE INDEX webhook_acts_by_endpoint ON counterfoil.webhook_acts USING btree (endpoint, at);

CREATE INDEX webhook_events_by_key ON counterfoil.webhook_events USING btree (endpoint, key, change_id);

CREATE INDEX webhook_events_by_time ON counterfoil.webhook_events USING btree (endpoint, next_at, change_id) WHERE (next_at < 'infinity'::timestamp with time zone);

CREATE TRIGGER attempts_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON counterfoil.other_attempts FOR EACH STATEMENT EXECUTE FUNCTION counterfoil.refuse_change();
COMMENT ON TRIGGER attempts_are_append_only ON counterfoil.other_attempts IS '
    before update or delete or truncate on counterfoil.other_attempts
    for each statement execute function counterfoil.refuse_change()
';

CREATE TRIGGER changed_jobs_keep_their_rules AFTER UPDATE OF kind, order_id, transaction_id, proof, notification_id ON counterfoil.jobs FOR EACH ROW EXECUTE FUNCTION counterfoil.refuse_job();
COMMENT ON TRIGGER changed_jobs_keep_their_rules ON counterfoil.jobs IS '
    after update of kind, order_id, transaction_id, proof, notification_id on counterfoil.jobs
    for each row execute function counterfoil.refuse_job()
';

CREATE TRIGGER changed_orders_keep_their_rules AFTER UPDATE OF order_id, product_id, account_id, quantity ON counterfoil.orders FOR EACH ROW WHEN (((((length(new.account_id) >= 1) AND (length(new.account_id) <= 200)) AND ((length(new.order_id) >= 1) AND (length(new.order_id) <= 200)) AND ((length(new.product_id) >= 1) AND (length(new.product_id) <= 200)) AND ((new.quantity >= 1) AND (new.quantity <= 10))) IS FALSE)) EXECUTE FUNCTION counterfoil.refuse_order();
COMMENT ON TRIGGER changed_orders_keep_their_rules ON counterfoil.orders IS '
    after update of order_id, product_id, account_id, quantity on counterfoil.orders
    for each row when (
        (
            length(new.account_id) between 1 and 200 and length(new.order_id) between 1 and 200
            and length(new.product_id) between 1 and 200 and new.quantity between 1 and 10
        ) is false
    )
    execute function counterfoil.refuse_order()
';

CREATE TRIGGER changes_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON counterfoil.changes FOR EACH STATEMENT EXECUTE FUNCTION counterfoil.refuse_change();
COMMENT ON TRIGGER changes_are_append_only ON counterfoil.changes IS '
    before update or delete or truncate on counterfoil.changes
    for each statement execute function counterfoil.refuse_change()
';

CREATE TRIGGER consumption_requests_are_told AFTER INSERT ON counterfoil.consumption_requests FOR EACH ROW WHEN ((new.closed_at IS NULL)) EXECUTE FUNCTION counterfoil.tell_consumption_request();
COMMENT ON TRIGGER consumption_requests_are_told ON counterfoil.consumption_requests IS '
    after insert on counterfoil.consumption_requests
    for each row when (new.closed_at is null)
    execute function counterfoil.tell_consumption_request()
';

CREATE TRIGGER ends_are_told AFTER INSERT ON counterfoil.period_ends FOR EACH ROW EXECUTE FUNCTION counterfoil.tell_moved_end();
COMMENT ON TRIGGER ends_are_told ON counterfoil.period_ends IS '
    after insert on counterfoil.period_ends
    for each row execute function counterfoil.tell_moved_end()
';

CREATE TRIGGER found_payments_are_told AFTER INSERT ON counterfoil.order_events FOR EACH ROW WHEN ((new.kind = 'found'::text)) EXECUTE FUNCTION counterfoil.tell_found();
COMMENT ON TRIGGER found_payments_are_told ON counterfoil.order_events IS '
    after insert on counterfoil.order_events
    for each row when (new.kind = ''found'')
    execute function counterfoil.tell_found()
';

CREATE TRIGGER make_gates AFTER INSERT ON counterfoil.apps FOR EACH ROW EXECUTE FUNCTION counterfoil.make_gates();
COMMENT ON TRIGGER make_gates ON counterfoil.apps IS '
    after insert on counterfoil.apps
    for each row execute function counterfoil.make_gates()
';

CREATE TRIGGER moved_accounts_take_no_orders BEFORE INSERT ON counterfoil.orders FOR EACH ROW WHEN ((pg_relation_size('counterfoil.moved_accounts'::regclass) > 0)) EXECUTE FUNCTION counterfoil.refuse_order_of_moved_account();
COMMENT ON TRIGGER moved_accounts_take_no_orders ON counterfoil.orders IS '
    before insert on counterfoil.orders
    for each row when (pg_relation_size(''counterfoil.moved_accounts'') > 0)
    execute function counterfoil.refuse_order_of_moved_account()
';

CREATE TRIGGER moved_ends_are_told AFTER UPDATE ON counterfoil.period_ends FOR EACH ROW WHEN ((new.ends_at <> old.ends_at)) EXECUTE FUNCTION counterfoil.tell_moved_end();
COMMENT ON TRIGGER moved_ends_are_told ON counterfoil.period_ends IS '
    after update on counterfoil.period_ends
    for each row when (new.ends_at <> old.ends_at)
    execute function counterfoil.tell_moved_end()
';

CREATE TRIGGER moves_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON counterfoil.moves FOR EACH STATEMENT EXECUTE FUNCTION counterfoil.refuse_change();
COMMENT ON TRIGGER moves_are_append_only ON counterfoil.moves IS '
    before update or delete or truncate on counterfoil.moves
    for each statement execute function counterfoil.refuse_change()
';

CREATE TRIGGER order_events_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON counterfoil.order_events FOR EACH STATEMENT EXECUTE FUNCTION counterfoil.refuse_change();
COMMENT ON TRIGGER order_events_are_append_only ON counterfoil.order_events IS '
    before update or delete or truncate on counterfoil.order_events
    for each statement execute function counterfoil.refuse_change()
';

CREATE TRIGGER orders_are_never_deleted BEFORE DELETE OR TRUNCATE ON counterfoil.orders FOR EACH STATEMENT EXECUTE FUNCTION counterfoil.refuse_change();
COMMENT ON TRIGGER orders_are_never_deleted ON counterfoil.orders IS '
    before delete or truncate on counterfoil.orders
    for each statement execute function counterfoil.refuse_change()
';

CREATE TRIGGER orders_are_told AFTER UPDATE ON counterfoil.orders FOR EACH ROW WHEN ((((new.state <> old.state) OR (new.reason IS DISTINCT FROM old.reason)) AND (new.state <> 'open'::text) AND ((new.state <> 'fulfilled'::text) OR (old.state = 'refunded'::text) OR (new.version = old.version)))) EXECUTE FUNCTION counterfoil.tell_order();
COMMENT ON TRIGGER orders_are_told ON counterfoil.orders IS '
    after update on counterfoil.orders
    for each row when (
        (new.state <> old.state or new.reason is distinct from old.reason) and new.state <> ''open''
        and (new.state <> ''fulfilled'' or old.state = ''refunded'' or new.version = old.version)
    )
    execute function counterfoil.tell_order()
';

CREATE TRIGGER orders_keep_their_rules BEFORE INSERT ON counterfoil.orders FOR EACH ROW WHEN (((((length(new.account_id) >= 1) AND (length(new.account_id) <= 200)) AND ((length(new.order_id) >= 1) AND (length(new.order_id) <= 200)) AND ((length(new.product_id) >= 1) AND (length(new.product_id) <= 200)) AND ((new.quantity >= 1) AND (new.quantity <= 10))) IS FALSE)) EXECUTE FUNCTION counterfoil.refuse_order();
COMMENT ON TRIGGER orders_keep_their_rules ON counterfoil.orders IS '
    before insert on counterfoil.orders
    for each row when (
        (
            length(new.account_id) between 1 and 200 and length(new.order_id) between 1 and 200
            and length(new.product_id) between 1 and 200 and new.quantity between 1 and 10
        ) is false
    )
    execute function counterfoil.refuse_order()
';

CREATE TRIGGER payments_are_never_removed BEFORE DELETE OR TRUNCATE ON counterfoil.payments FOR EACH STATEMENT EXECUTE FUNCTION counterfoil.refuse_change();
COMMENT ON TRIGGER payments_are_never_removed ON counterfoil.payments IS '
    before delete or truncate on counterfoil.payments
    for each statement execute function counterfoil.refuse_change()
';

CREATE TRIGGER payments_keep_their_facts BEFORE UPDATE ON counterfoil.payments FOR EACH ROW EXECUTE FUNCTION counterfoil.refuse_change_of_payment();
COMMENT ON TRIGGER payments_keep_their_facts ON counterfoil.payments IS '
    before update on counterfoil.payments
    for each row execute function counterfoil.refuse_change_of_payment()
';

CREATE TRIGGER payments_that_become_unclaimed_are_told AFTER UPDATE ON counterfoil.payments FOR EACH ROW WHEN (((old.reason IS NOT NULL) AND ((new.reason IS DISTINCT FROM old.reason) OR (new.account_id IS DISTINCT FROM old.account_id) OR (new.shown_by_number IS DISTINCT FROM old.shown_by_number) OR (new.app_account_token IS DISTINCT FROM old.app_account_token) OR (new.purchase_reason IS DISTINCT FROM old.purchase_reason)))) EXECUTE FUNCTION counterfoil.tell_unclaimed();
COMMENT ON TRIGGER payments_that_become_unclaimed_are_told ON counterfoil.payments IS '
    after update on counterfoil.payments
    for each row when (
        old.reason is not null and (
            new.reason is distinct from old.reason or new.account_id is distinct from old.account_id
            or new.shown_by_number is distinct from old.shown_by_number
            or new.app_account_token is distinct from old.app_account_token
            or new.purchase_reason is distinct from old.purchase_reason
        )
    )
    execute function counterfoil.tell_unclaimed()
';

CREATE TRIGGER prepare_job BEFORE INSERT ON counterfoil.jobs FOR EACH ROW EXECUTE FUNCTION counterfoil.prepare_job();
COMMENT ON TRIGGER prepare_job ON counterfoil.jobs IS '
    before insert on counterfoil.jobs
    for each row execute function counterfoil.prepare_job()
';

CREATE TRIGGER queue_notifications AFTER INSERT ON counterfoil.gates FOR EACH ROW WHEN ((new.route = 'local'::text)) EXECUTE FUNCTION counterfoil.queue_notifications();
COMMENT ON TRIGGER queue_notifications ON counterfoil.gates IS '
    after insert on counterfoil.gates
    for each row when (new.route = ''local'')
    execute function counterfoil.queue_notifications()
';

CREATE TRIGGER raise_policy_number BEFORE UPDATE ON counterfoil.apps FOR EACH ROW EXECUTE FUNCTION counterfoil.raise_policy_number();
COMMENT ON TRIGGER raise_policy_number ON counterfoil.apps IS '
    before update on counterfoil.apps
    for each row execute function counterfoil.raise_policy_number()
';

CREATE TRIGGER refunds_are_told AFTER INSERT ON counterfoil.revocations FOR EACH ROW EXECUTE FUNCTION counterfoil.tell_refund();
COMMENT ON TRIGGER refunds_are_told ON counterfoil.revocations IS '
    after insert on counterfoil.revocations
    for each row execute function counterfoil.tell_refund()
';

CREATE TRIGGER revocations_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON counterfoil.revocations FOR EACH STATEMENT EXECUTE FUNCTION counterfoil.refuse_change();
COMMENT ON TRIGGER revocations_are_append_only ON counterfoil.revocations IS '
    before update or delete or truncate on counterfoil.revocations
    for each statement execute function counterfoil.refuse_change()
';

CREATE TRIGGER stored_notifications_are_told AFTER UPDATE ON counterfoil.notifications FOR EACH ROW WHEN (((new.outcome = 'stored'::text) AND (old.outcome IS DISTINCT FROM 'stored'::text) AND (new.type <> 'TEST'::text))) EXECUTE FUNCTION counterfoil.tell_stored_notification();
COMMENT ON TRIGGER stored_notifications_are_told ON counterfoil.notifications IS '
    after update on counterfoil.notifications
    for each row when (new.outcome = ''stored'' and old.outcome is distinct from ''stored'' and new.type <> ''TEST'')
    execute function counterfoil.tell_stored_notification()
';

CREATE CONSTRAINT TRIGGER unclaimed_payments_are_told AFTER INSERT ON counterfoil.payments DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (counterfoil.comes_to_light(new.reason)) EXECUTE FUNCTION counterfoil.tell_unclaimed();
COMMENT ON TRIGGER unclaimed_payments_are_told ON counterfoil.payments IS '
    after insert on counterfoil.payments deferrable initially deferred
    for each row when (counterfoil.comes_to_light(new.reason))
    execute function counterfoil.tell_unclaimed()
';
ALTER TABLE ONLY counterfoil.awaited_renewals
    ADD CONSTRAINT awaiting_order_is_known FOREIGN KEY (order_id) REFERENCES counterfoil.orders(order_id);
ALTER TABLE ONLY counterfoil.budgets
    ADD CONSTRAINT budget_names_a_known_app FOREIGN KEY (bundle_id) REFERENCES counterfoil.apps(bundle_id);
ALTER TABLE ONLY counterfoil.catch_ups
    ADD CONSTRAINT catch_up_names_a_known_app FOREIGN KEY (bundle_id) REFERENCES counterfoil.apps(bundle_id);
ALTER TABLE ONLY counterfoil.order_events
    ADD CONSTRAINT event_names_a_known_order FOREIGN KEY (order_id) REFERENCES counterfoil.orders(order_id);
ALTER TABLE ONLY counterfoil.former_credentials
    ADD CONSTRAINT former_credential_names_a_known_gate FOREIGN KEY (lane) REFERENCES counterfoil.gates(lane);
ALTER TABLE ONLY counterfoil.gates
    ADD CONSTRAINT gate_names_a_known_app FOREIGN KEY (bundle_id) REFERENCES counterfoil.apps(bundle_id);
ALTER TABLE ONLY counterfoil.jobs
    ADD CONSTRAINT job_names_a_known_order FOREIGN KEY (order_number) REFERENCES counterfoil.orders(number);
ALTER TABLE ONLY counterfoil.orders
    ADD CONSTRAINT order_names_a_known_app FOREIGN KEY (bundle_id) REFERENCES counterfoil.apps(bundle_id);
ALTER TABLE ONLY counterfoil.products
    ADD CONSTRAINT product_names_a_known_app FOREIGN KEY (bundle_id) REFERENCES counterfoil.apps(bundle_id);
ALTER TABLE ONLY counterfoil.proofs
    ADD CONSTRAINT proof_names_a_known_order FOREIGN KEY (order_id) REFERENCES counterfoil.orders(order_id);
ALTER TABLE ONLY counterfoil.credential_refusals
    ADD CONSTRAINT refusal_names_a_known_gate FOREIGN KEY (lane) REFERENCES counterfoil.gates(lane);
ALTER TABLE ONLY counterfoil.refused_notifications
    ADD CONSTRAINT refused_notification_names_a_known_app FOREIGN KEY (bundle_id) REFERENCES counterfoil.apps(bundle_id);
ALTER TABLE ONLY counterfoil.orders_in_review
    ADD CONSTRAINT reviewed_order_is_known FOREIGN KEY (order_id) REFERENCES counterfoil.orders(order_id);
ALTER TABLE ONLY counterfoil.revocations
    ADD CONSTRAINT revocation_names_a_known_app FOREIGN KEY (bundle_id) REFERENCES counterfoil.apps(bundle_id);
ALTER TABLE ONLY counterfoil.sandbox_accounts
    ADD CONSTRAINT sandbox_account_names_a_known_app FOREIGN KEY (bundle_id) REFERENCES counterfoil.apps(bundle_id);
ALTER TABLE ONLY counterfoil.unfound_payments
    ADD CONSTRAINT unfound_payment_names_a_known_gate FOREIGN KEY (lane) REFERENCES counterfoil.gates(lane);
ALTER TABLE ONLY counterfoil.webhook_acts
    ADD CONSTRAINT webhook_act_names_an_endpoint FOREIGN KEY (endpoint) REFERENCES counterfoil.webhook_endpoints(number);
ALTER TABLE ONLY counterfoil.webhook_events
    ADD CONSTRAINT webhook_event_names_an_endpoint FOREIGN KEY (endpoint) REFERENCES counterfoil.webhook_endpoints(number);
GRANT USAGE ON SCHEMA counterfoil TO counterfoil_backend;
GRANT USAGE ON SCHEMA counterfoil TO counterfoil_worker;
GRANT USAGE ON SCHEMA counterfoil TO counterfoil_support;
GRANT USAGE ON SCHEMA counterfoil TO counterfoil_reader;
GRANT USAGE ON SCHEMA counterfoil TO counterfoil_gateway;
GRANT ALL ON TYPE counterfoil.change TO counterfoil_backend;
GRANT ALL ON TYPE counterfoil.change TO counterfoil_support;
GRANT ALL ON TYPE counterfoil.change TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.moved_accounts TO counterfoil_backend;
GRANT SELECT ON TABLE counterfoil.moved_accounts TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.moved_accounts TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.moved_accounts TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.account_asked(of_account text, grace interval) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.account_asked(of_account text, grace interval) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.account_asked(of_account text, grace interval) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.account_asked(of_account text, grace interval) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.account_asked(of_account text, grace interval) TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.moved_orders TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.moved_orders TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.moved_orders TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.account_now(of_account text, of_order bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.account_now(of_account text, of_order bigint) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.account_now(of_account text, of_order bigint) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.account_of_period(of_bundle text, of_environment text, of_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.account_of_period(of_bundle text, of_environment text, of_id text) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.account_of_period(of_bundle text, of_environment text, of_id text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.account_of_period(of_bundle text, of_environment text, of_id text) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.account_of_period(of_bundle text, of_environment text, of_id text) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.bears_one_account(of_bundle text, token uuid, smallest text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.bears_one_account(of_bundle text, token uuid, smallest text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.bears_one_account(of_bundle text, token uuid, smallest text) TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.orders TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.orders TO counterfoil_support;
GRANT SELECT(order_id),INSERT(order_id) ON TABLE counterfoil.orders TO counterfoil_backend;
GRANT INSERT(bundle_id) ON TABLE counterfoil.orders TO counterfoil_backend;
GRANT INSERT(product_id) ON TABLE counterfoil.orders TO counterfoil_backend;
GRANT INSERT(account_id) ON TABLE counterfoil.orders TO counterfoil_backend;
GRANT INSERT(quantity) ON TABLE counterfoil.orders TO counterfoil_backend;
GRANT INSERT(app_account_token) ON TABLE counterfoil.orders TO counterfoil_backend;
GRANT UPDATE(state) ON TABLE counterfoil.orders TO counterfoil_worker;
GRANT UPDATE(state) ON TABLE counterfoil.orders TO counterfoil_support;
GRANT UPDATE(reason) ON TABLE counterfoil.orders TO counterfoil_worker;
GRANT UPDATE(reason) ON TABLE counterfoil.orders TO counterfoil_support;
GRANT UPDATE(transaction_id) ON TABLE counterfoil.orders TO counterfoil_worker;
GRANT UPDATE(transaction_id) ON TABLE counterfoil.orders TO counterfoil_support;
GRANT UPDATE(environment) ON TABLE counterfoil.orders TO counterfoil_worker;
GRANT UPDATE(environment) ON TABLE counterfoil.orders TO counterfoil_support;
GRANT UPDATE(attempts) ON TABLE counterfoil.orders TO counterfoil_worker;
GRANT UPDATE(attempts) ON TABLE counterfoil.orders TO counterfoil_support;
GRANT UPDATE(last_attempt_at) ON TABLE counterfoil.orders TO counterfoil_worker;
GRANT UPDATE(last_attempt_at) ON TABLE counterfoil.orders TO counterfoil_support;
GRANT UPDATE(updated_at) ON TABLE counterfoil.orders TO counterfoil_worker;
GRANT UPDATE(updated_at) ON TABLE counterfoil.orders TO counterfoil_support;
GRANT UPDATE(fulfilled_at) ON TABLE counterfoil.orders TO counterfoil_worker;
GRANT UPDATE(fulfilled_at) ON TABLE counterfoil.orders TO counterfoil_support;
GRANT UPDATE(version) ON TABLE counterfoil.orders TO counterfoil_worker;
GRANT UPDATE(version) ON TABLE counterfoil.orders TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.account_of_token(of_bundle text, token uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.account_of_token(of_bundle text, token uuid) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.account_of_token(of_bundle text, token uuid) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.account_of_transfer(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, of_reason text, of_token uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.account_of_transfer(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, of_reason text, of_token uuid) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.account_of_transfer(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, of_reason text, of_token uuid) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.account_of_transfer(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, of_reason text, of_token uuid) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.account_of_transfer(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, of_reason text, of_token uuid) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.account_that_was_answered(of_bundle text, of_environment text, of_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.account_that_was_answered(of_bundle text, of_environment text, of_id text) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.account_that_was_answered(of_bundle text, of_environment text, of_id text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.account_that_was_answered(of_bundle text, of_environment text, of_id text) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.account_that_was_answered(of_bundle text, of_environment text, of_id text) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.accounts_of(of_account text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.accounts_of(of_account text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.accounts_of(of_account text) TO counterfoil_support;
GRANT SELECT,INSERT ON TABLE counterfoil.payments TO counterfoil_worker;
GRANT SELECT,INSERT ON TABLE counterfoil.payments TO counterfoil_support;
GRANT UPDATE(payment_key) ON TABLE counterfoil.payments TO counterfoil_worker;
GRANT UPDATE(payment_key) ON TABLE counterfoil.payments TO counterfoil_support;
GRANT UPDATE(web_order_line_item_id) ON TABLE counterfoil.payments TO counterfoil_worker;
GRANT UPDATE(web_order_line_item_id) ON TABLE counterfoil.payments TO counterfoil_support;
GRANT UPDATE(additional_reason) ON TABLE counterfoil.payments TO counterfoil_worker;
GRANT UPDATE(additional_reason) ON TABLE counterfoil.payments TO counterfoil_support;
GRANT UPDATE(purchase_reason) ON TABLE counterfoil.payments TO counterfoil_worker;
GRANT UPDATE(purchase_reason) ON TABLE counterfoil.payments TO counterfoil_support;
GRANT UPDATE(product_kind) ON TABLE counterfoil.payments TO counterfoil_worker;
GRANT UPDATE(product_kind) ON TABLE counterfoil.payments TO counterfoil_support;
GRANT UPDATE(quantity) ON TABLE counterfoil.payments TO counterfoil_worker;
GRANT UPDATE(quantity) ON TABLE counterfoil.payments TO counterfoil_support;
GRANT UPDATE(purchased_at) ON TABLE counterfoil.payments TO counterfoil_worker;
GRANT UPDATE(purchased_at) ON TABLE counterfoil.payments TO counterfoil_support;
GRANT UPDATE(paid_at) ON TABLE counterfoil.payments TO counterfoil_worker;
GRANT UPDATE(paid_at) ON TABLE counterfoil.payments TO counterfoil_support;
GRANT UPDATE(is_advanced_commerce) ON TABLE counterfoil.payments TO counterfoil_worker;
GRANT UPDATE(is_advanced_commerce) ON TABLE counterfoil.payments TO counterfoil_support;
GRANT UPDATE(expires_at) ON TABLE counterfoil.payments TO counterfoil_worker;
GRANT UPDATE(expires_at) ON TABLE counterfoil.payments TO counterfoil_support;
GRANT UPDATE(app_account_token) ON TABLE counterfoil.payments TO counterfoil_worker;
GRANT UPDATE(app_account_token) ON TABLE counterfoil.payments TO counterfoil_support;
GRANT UPDATE(account_id) ON TABLE counterfoil.payments TO counterfoil_worker;
GRANT UPDATE(account_id) ON TABLE counterfoil.payments TO counterfoil_support;
GRANT UPDATE(shown_by_number) ON TABLE counterfoil.payments TO counterfoil_worker;
GRANT UPDATE(shown_by_number) ON TABLE counterfoil.payments TO counterfoil_support;
GRANT UPDATE(reason) ON TABLE counterfoil.payments TO counterfoil_worker;
GRANT UPDATE(reason) ON TABLE counterfoil.payments TO counterfoil_support;
GRANT UPDATE(fits_under) ON TABLE counterfoil.payments TO counterfoil_worker;
GRANT UPDATE(fits_under) ON TABLE counterfoil.payments TO counterfoil_support;
GRANT UPDATE(order_number) ON TABLE counterfoil.payments TO counterfoil_worker;
GRANT UPDATE(order_number) ON TABLE counterfoil.payments TO counterfoil_support;
GRANT UPDATE(granted_at) ON TABLE counterfoil.payments TO counterfoil_worker;
GRANT UPDATE(granted_at) ON TABLE counterfoil.payments TO counterfoil_support;
GRANT UPDATE(job_id) ON TABLE counterfoil.payments TO counterfoil_worker;
GRANT UPDATE(job_id) ON TABLE counterfoil.payments TO counterfoil_support;
GRANT UPDATE(price_milliunits) ON TABLE counterfoil.payments TO counterfoil_worker;
GRANT UPDATE(price_milliunits) ON TABLE counterfoil.payments TO counterfoil_support;
GRANT UPDATE(currency) ON TABLE counterfoil.payments TO counterfoil_worker;
GRANT UPDATE(currency) ON TABLE counterfoil.payments TO counterfoil_support;
GRANT UPDATE(customer_id) ON TABLE counterfoil.payments TO counterfoil_worker;
GRANT UPDATE(customer_id) ON TABLE counterfoil.payments TO counterfoil_support;
GRANT UPDATE(terms) ON TABLE counterfoil.payments TO counterfoil_worker;
GRANT UPDATE(terms) ON TABLE counterfoil.payments TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.accounts_of_customer(of_bundle text, of_environment text, of_id text, of_original text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.accounts_of_customer(of_bundle text, of_environment text, of_id text, of_original text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.accounts_of_customer(of_bundle text, of_environment text, of_id text, of_original text) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.bought_apart(of_bundle text, of_environment text, of_original text, one timestamp with time zone, other timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.bought_apart(of_bundle text, of_environment text, of_original text, one timestamp with time zone, other timestamp with time zone) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.bought_apart(of_bundle text, of_environment text, of_original text, one timestamp with time zone, other timestamp with time zone) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.bought_apart(of_bundle text, of_environment text, of_original text, one timestamp with time zone, other timestamp with time zone) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.bought_apart(of_bundle text, of_environment text, of_original text, one timestamp with time zone, other timestamp with time zone) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.client_action(state text, reason text, pending text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.client_action(state text, reason text, pending text) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.client_action(state text, reason text, pending text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.client_action(state text, reason text, pending text) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.client_action(state text, reason text, pending text) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.end_of_period(of_bundle text, of_environment text, of_original text, of_id text, of_product text, of_purchased_at timestamp with time zone, of_expires_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.end_of_period(of_bundle text, of_environment text, of_original text, of_id text, of_product text, of_purchased_at timestamp with time zone, of_expires_at timestamp with time zone) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.end_of_period(of_bundle text, of_environment text, of_original text, of_id text, of_product text, of_purchased_at timestamp with time zone, of_expires_at timestamp with time zone) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.end_of_period(of_bundle text, of_environment text, of_original text, of_id text, of_product text, of_purchased_at timestamp with time zone, of_expires_at timestamp with time zone) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.end_of_period(of_bundle text, of_environment text, of_original text, of_id text, of_product text, of_purchased_at timestamp with time zone, of_expires_at timestamp with time zone) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.is_one_payment(of_bundle text, of_environment text, of_original text, one_kind text, one_item text, one_purchased_at timestamp with time zone, other_kind text, other_item text, other_purchased_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.is_one_payment(of_bundle text, of_environment text, of_original text, one_kind text, one_item text, one_purchased_at timestamp with time zone, other_kind text, other_item text, other_purchased_at timestamp with time zone) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.is_one_payment(of_bundle text, of_environment text, of_original text, one_kind text, one_item text, one_purchased_at timestamp with time zone, other_kind text, other_item text, other_purchased_at timestamp with time zone) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.is_one_payment(of_bundle text, of_environment text, of_original text, one_kind text, one_item text, one_purchased_at timestamp with time zone, other_kind text, other_item text, other_purchased_at timestamp with time zone) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.is_one_payment(of_bundle text, of_environment text, of_original text, one_kind text, one_item text, one_purchased_at timestamp with time zone, other_kind text, other_item text, other_purchased_at timestamp with time zone) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.next_job_id() FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.next_job_id() TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.next_job_id() TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.next_job_id() TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.payment_elsewhere(o counterfoil.orders) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.payment_elsewhere(o counterfoil.orders) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.payment_elsewhere(o counterfoil.orders) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.payment_elsewhere(o counterfoil.orders) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.payment_elsewhere(o counterfoil.orders) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.renewed_account(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, of_expires_at timestamp with time zone, of_reason text, of_token uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.renewed_account(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, of_expires_at timestamp with time zone, of_reason text, of_token uuid) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.renewed_account(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, of_expires_at timestamp with time zone, of_reason text, of_token uuid) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.renewed_account(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, of_expires_at timestamp with time zone, of_reason text, of_token uuid) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.renewed_account(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, of_expires_at timestamp with time zone, of_reason text, of_token uuid) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.uploads_are_unreadable(order_id text, attempts integer, last_attempt_at timestamp with time zone, uploads integer, period interval, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.uploads_are_unreadable(order_id text, attempts integer, last_attempt_at timestamp with time zone, uploads integer, period interval, most integer) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.uploads_are_unreadable(order_id text, attempts integer, last_attempt_at timestamp with time zone, uploads integer, period interval, most integer) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.uploads_are_unreadable(order_id text, attempts integer, last_attempt_at timestamp with time zone, uploads integer, period interval, most integer) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.uploads_are_unreadable(order_id text, attempts integer, last_attempt_at timestamp with time zone, uploads integer, period interval, most integer) TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.gates TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.gates TO counterfoil_support;
GRANT UPDATE(state) ON TABLE counterfoil.gates TO counterfoil_worker;
GRANT UPDATE(state) ON TABLE counterfoil.gates TO counterfoil_support;
GRANT UPDATE(closed_by) ON TABLE counterfoil.gates TO counterfoil_worker;
GRANT UPDATE(closed_by) ON TABLE counterfoil.gates TO counterfoil_support;
GRANT UPDATE(closed_for) ON TABLE counterfoil.gates TO counterfoil_worker;
GRANT UPDATE(closed_for) ON TABLE counterfoil.gates TO counterfoil_support;
GRANT UPDATE(why) ON TABLE counterfoil.gates TO counterfoil_worker;
GRANT UPDATE(why) ON TABLE counterfoil.gates TO counterfoil_support;
GRANT UPDATE(closed_at) ON TABLE counterfoil.gates TO counterfoil_worker;
GRANT UPDATE(closed_at) ON TABLE counterfoil.gates TO counterfoil_support;
GRANT UPDATE(opened_at) ON TABLE counterfoil.gates TO counterfoil_worker;
GRANT UPDATE(opened_at) ON TABLE counterfoil.gates TO counterfoil_support;
GRANT UPDATE(probe_at) ON TABLE counterfoil.gates TO counterfoil_worker;
GRANT UPDATE(probe_at) ON TABLE counterfoil.gates TO counterfoil_support;
GRANT UPDATE(probe_until) ON TABLE counterfoil.gates TO counterfoil_worker;
GRANT UPDATE(probe_until) ON TABLE counterfoil.gates TO counterfoil_support;
GRANT UPDATE(failed_probes) ON TABLE counterfoil.gates TO counterfoil_worker;
GRANT UPDATE(failed_probes) ON TABLE counterfoil.gates TO counterfoil_support;
GRANT UPDATE(credential_digest) ON TABLE counterfoil.gates TO counterfoil_worker;
GRANT UPDATE(credential_digest) ON TABLE counterfoil.gates TO counterfoil_support;
GRANT UPDATE(credential_accepted_at) ON TABLE counterfoil.gates TO counterfoil_worker;
GRANT UPDATE(credential_accepted_at) ON TABLE counterfoil.gates TO counterfoil_support;
GRANT UPDATE(needed_credential_accepted_at) ON TABLE counterfoil.gates TO counterfoil_worker;
GRANT UPDATE(needed_credential_accepted_at) ON TABLE counterfoil.gates TO counterfoil_support;
GRANT UPDATE(found_credential_digest) ON TABLE counterfoil.gates TO counterfoil_worker;
GRANT UPDATE(found_credential_digest) ON TABLE counterfoil.gates TO counterfoil_support;
GRANT SELECT,DELETE ON TABLE counterfoil.jobs TO counterfoil_worker;
GRANT SELECT,DELETE ON TABLE counterfoil.jobs TO counterfoil_support;
GRANT SELECT(id) ON TABLE counterfoil.jobs TO counterfoil_backend;
GRANT SELECT(order_id),INSERT(order_id) ON TABLE counterfoil.jobs TO counterfoil_backend;
GRANT INSERT(order_id) ON TABLE counterfoil.jobs TO counterfoil_worker;
GRANT INSERT(order_id) ON TABLE counterfoil.jobs TO counterfoil_support;
GRANT INSERT(order_number) ON TABLE counterfoil.jobs TO counterfoil_worker;
GRANT INSERT(order_number) ON TABLE counterfoil.jobs TO counterfoil_support;
GRANT INSERT(account_id) ON TABLE counterfoil.jobs TO counterfoil_backend;
GRANT INSERT(transaction_id) ON TABLE counterfoil.jobs TO counterfoil_backend;
GRANT INSERT(transaction_id) ON TABLE counterfoil.jobs TO counterfoil_worker;
GRANT INSERT(transaction_id) ON TABLE counterfoil.jobs TO counterfoil_support;
GRANT INSERT(proof) ON TABLE counterfoil.jobs TO counterfoil_backend;
GRANT INSERT(proof) ON TABLE counterfoil.jobs TO counterfoil_worker;
GRANT INSERT(proof) ON TABLE counterfoil.jobs TO counterfoil_support;
GRANT INSERT(lane),UPDATE(lane) ON TABLE counterfoil.jobs TO counterfoil_worker;
GRANT INSERT(lane) ON TABLE counterfoil.jobs TO counterfoil_support;
GRANT INSERT(priority),UPDATE(priority) ON TABLE counterfoil.jobs TO counterfoil_worker;
GRANT INSERT(priority) ON TABLE counterfoil.jobs TO counterfoil_support;
GRANT UPDATE(state) ON TABLE counterfoil.jobs TO counterfoil_worker;
GRANT UPDATE(state) ON TABLE counterfoil.jobs TO counterfoil_support;
GRANT INSERT(run_at),UPDATE(run_at) ON TABLE counterfoil.jobs TO counterfoil_worker;
GRANT INSERT(run_at),UPDATE(run_at) ON TABLE counterfoil.jobs TO counterfoil_support;
GRANT UPDATE(attempt) ON TABLE counterfoil.jobs TO counterfoil_worker;
GRANT UPDATE(attempt) ON TABLE counterfoil.jobs TO counterfoil_support;
GRANT UPDATE(lease_token) ON TABLE counterfoil.jobs TO counterfoil_worker;
GRANT UPDATE(claimed_at) ON TABLE counterfoil.jobs TO counterfoil_worker;
GRANT UPDATE(lease_expires_at) ON TABLE counterfoil.jobs TO counterfoil_worker;
GRANT UPDATE(worker_id) ON TABLE counterfoil.jobs TO counterfoil_worker;
GRANT UPDATE(rescues) ON TABLE counterfoil.jobs TO counterfoil_worker;
GRANT UPDATE(crashes) ON TABLE counterfoil.jobs TO counterfoil_worker;
GRANT UPDATE(crashes) ON TABLE counterfoil.jobs TO counterfoil_support;
GRANT UPDATE(reason) ON TABLE counterfoil.jobs TO counterfoil_worker;
GRANT UPDATE(reason) ON TABLE counterfoil.jobs TO counterfoil_support;
GRANT INSERT(kind) ON TABLE counterfoil.jobs TO counterfoil_worker;
GRANT INSERT(kind) ON TABLE counterfoil.jobs TO counterfoil_support;
GRANT UPDATE(uncertain_attempts) ON TABLE counterfoil.jobs TO counterfoil_worker;
GRANT UPDATE(uncertain_attempts) ON TABLE counterfoil.jobs TO counterfoil_support;
GRANT UPDATE(missing_since) ON TABLE counterfoil.jobs TO counterfoil_worker;
GRANT UPDATE(missing_since) ON TABLE counterfoil.jobs TO counterfoil_support;
GRANT UPDATE(last_missing_at) ON TABLE counterfoil.jobs TO counterfoil_worker;
GRANT UPDATE(last_missing_at) ON TABLE counterfoil.jobs TO counterfoil_support;
GRANT UPDATE(is_alone) ON TABLE counterfoil.jobs TO counterfoil_worker;
GRANT UPDATE(is_alone) ON TABLE counterfoil.jobs TO counterfoil_support;
GRANT INSERT(notification_id) ON TABLE counterfoil.jobs TO counterfoil_worker;
GRANT INSERT(notification_id) ON TABLE counterfoil.jobs TO counterfoil_support;
GRANT INSERT(found_by) ON TABLE counterfoil.jobs TO counterfoil_worker;
GRANT INSERT(found_by) ON TABLE counterfoil.jobs TO counterfoil_support;
GRANT SELECT,INSERT ON TABLE counterfoil.revocations TO counterfoil_worker;
GRANT SELECT,INSERT ON TABLE counterfoil.revocations TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.revocations_in_force TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.revocations_in_force TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.payment_states TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.payment_states TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.order_status TO counterfoil_backend;
GRANT SELECT ON TABLE counterfoil.order_status TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.order_status TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.order_status TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.add_proof(order_id text, account_id text, proof text, transaction_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.add_proof(order_id text, account_id text, proof text, transaction_id text) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.add_proof(order_id text, account_id text, proof text, transaction_id text) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.adopt_changes() FROM PUBLIC;
GRANT SELECT ON TABLE counterfoil.consumption_answers TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.consumption_answers TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.consumption_answers TO counterfoil_reader;
GRANT UPDATE(state) ON TABLE counterfoil.consumption_answers TO counterfoil_worker;
GRANT UPDATE(attempts) ON TABLE counterfoil.consumption_answers TO counterfoil_worker;
GRANT UPDATE(uncertain_attempts) ON TABLE counterfoil.consumption_answers TO counterfoil_worker;
GRANT UPDATE(next_at) ON TABLE counterfoil.consumption_answers TO counterfoil_worker;
GRANT UPDATE(lease_token) ON TABLE counterfoil.consumption_answers TO counterfoil_worker;
GRANT UPDATE(lease_expires_at) ON TABLE counterfoil.consumption_answers TO counterfoil_worker;
GRANT UPDATE(error) ON TABLE counterfoil.consumption_answers TO counterfoil_worker;
GRANT UPDATE(ended_at) ON TABLE counterfoil.consumption_answers TO counterfoil_worker;
GRANT SELECT,INSERT ON TABLE counterfoil.consumption_requests TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.consumption_requests TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.consumption_requests TO counterfoil_reader;
GRANT UPDATE(closed_at) ON TABLE counterfoil.consumption_requests TO counterfoil_worker;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE counterfoil.notifications TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.notifications TO counterfoil_support;
GRANT SELECT(id) ON TABLE counterfoil.notifications TO counterfoil_reader;
GRANT SELECT(notification_uuid) ON TABLE counterfoil.notifications TO counterfoil_reader;
GRANT SELECT(bundle_id) ON TABLE counterfoil.notifications TO counterfoil_reader;
GRANT SELECT(environment) ON TABLE counterfoil.notifications TO counterfoil_reader;
GRANT SELECT(type) ON TABLE counterfoil.notifications TO counterfoil_reader;
GRANT SELECT(subtype) ON TABLE counterfoil.notifications TO counterfoil_reader;
GRANT SELECT(signed_at) ON TABLE counterfoil.notifications TO counterfoil_reader;
GRANT SELECT(source) ON TABLE counterfoil.notifications TO counterfoil_reader;
GRANT SELECT(received_at) ON TABLE counterfoil.notifications TO counterfoil_reader;
GRANT SELECT(outcome) ON TABLE counterfoil.notifications TO counterfoil_reader;
GRANT SELECT(message) ON TABLE counterfoil.notifications TO counterfoil_reader;
GRANT SELECT(processed_at) ON TABLE counterfoil.notifications TO counterfoil_reader;
GRANT SELECT(transaction_id) ON TABLE counterfoil.notifications TO counterfoil_reader;
GRANT SELECT(original_transaction_id) ON TABLE counterfoil.notifications TO counterfoil_reader;
GRANT SELECT(order_id) ON TABLE counterfoil.notifications TO counterfoil_reader;
GRANT UPDATE(order_id) ON TABLE counterfoil.notifications TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.consumption_request_status TO counterfoil_backend;
GRANT SELECT ON TABLE counterfoil.consumption_request_status TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.consumption_request_status TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.consumption_request_status TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.answer_consumption_request(notification_uuid uuid, why text, customer_consented boolean, delivery_status text, consumed_share numeric, refund_preference text, sample_content_provided boolean, bundle_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.answer_consumption_request(notification_uuid uuid, why text, customer_consented boolean, delivery_status text, consumed_share numeric, refund_preference text, sample_content_provided boolean, bundle_id text) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.answer_consumption_request(notification_uuid uuid, why text, customer_consented boolean, delivery_status text, consumed_share numeric, refund_preference text, sample_content_provided boolean, bundle_id text) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.attempt_outcome(disposition text, reason text, transaction_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.attempt_outcome(disposition text, reason text, transaction_id text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.attempt_outcome(disposition text, reason text, transaction_id text) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.attempt_outcome(disposition text, reason text, transaction_id text) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.can_be_ordered_again(of_id text, of_bundle text, of_environment text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.can_be_ordered_again(of_id text, of_bundle text, of_environment text) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.can_be_ordered_again(of_id text, of_bundle text, of_environment text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.can_be_ordered_again(of_id text, of_bundle text, of_environment text) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.can_be_ordered_again(of_id text, of_bundle text, of_environment text) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.cancel_order(order_id text, why text, account_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.cancel_order(order_id text, why text, account_id text) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.cancel_order(order_id text, why text, account_id text) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.changes_from(since timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.changes_from(since timestamp with time zone) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.changes_from(since timestamp with time zone) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.changes_from(since timestamp with time zone) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.changes_from_cursor(cursor text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.changes_from_cursor(cursor text) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.changes_from_cursor(cursor text) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.changes_from_cursor(cursor text) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.changes_since(cursor text, at_most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.changes_since(cursor text, at_most integer) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.changes_since(cursor text, at_most integer) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.changes_since(cursor text, at_most integer) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.comes_to_light(of_reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.comes_to_light(of_reason text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.comes_to_light(of_reason text) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.consumption_answer_of(of_question uuid, of_app text, consented boolean, delivered text, share numeric, preference text, sample boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.consumption_answer_of(of_question uuid, of_app text, consented boolean, delivered text, share numeric, preference text, sample boolean) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.consumption_answer_of(of_question uuid, of_app text, consented boolean, delivered text, share numeric, preference text, sample boolean) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.consumption_answer_of(of_question uuid, of_app text, consented boolean, delivered text, share numeric, preference text, sample boolean) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.customer_accounts(of_account text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.customer_accounts(of_account text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.customer_accounts(of_account text) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.customer_accounts(of_account text) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.customer_payments(of_account text, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.customer_payments(of_account text, most integer) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.customer_payments(of_account text, most integer) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.customer_payments(of_account text, most integer) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.decide_consumption_request(of_question uuid, of_app text, declines boolean, who text, why text, consented boolean, delivered text, share numeric, preference text, sample boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.decide_consumption_request(of_question uuid, of_app text, declines boolean, who text, why text, consented boolean, delivered text, share numeric, preference text, sample boolean) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.decline_consumption_request(notification_uuid uuid, why text, bundle_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.decline_consumption_request(notification_uuid uuid, why text, bundle_id text) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.decline_consumption_request(notification_uuid uuid, why text, bundle_id text) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.definitions_held() FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.definitions_held() TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.definitions_held() TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.desk_orders(of_account text, of_state text, of_product text, of_bundle text, since timestamp with time zone, until timestamp with time zone, before_order text, most integer, depth integer) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.desk_orders(of_account text, of_state text, of_product text, of_bundle text, since timestamp with time zone, until timestamp with time zone, before_order text, most integer, depth integer) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.desk_orders(of_account text, of_state text, of_product text, of_bundle text, since timestamp with time zone, until timestamp with time zone, before_order text, most integer, depth integer) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.desk_orders(of_account text, of_state text, of_product text, of_bundle text, since timestamp with time zone, until timestamp with time zone, before_order text, most integer, depth integer) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.drop_month_partition(of_table text, by_column text, horizon timestamp with time zone, note text) FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.drop_old_attempts(retention interval) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.drop_old_attempts(retention interval) TO counterfoil_worker;
REVOKE ALL ON FUNCTION counterfoil.drop_old_changes(retention interval) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.drop_old_changes(retention interval) TO counterfoil_worker;
REVOKE ALL ON FUNCTION counterfoil.end_webhook(endpoint integer, event_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.end_webhook(endpoint integer, event_id text) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.feed_server() FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.feed_server() TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.feed_server() TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.feed_server() TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.find_anything(what text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.find_anything(what text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.find_anything(what text) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.find_anything(what text) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.forget_account(of_account text, who text, why text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.forget_account(of_account text, who text, why text) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.harmful_publications() FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.harmful_publications() TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.harmful_publications() TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.harmful_publications() TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.import_grants(bundle_id text, environment text, entries jsonb) FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.index_sizes() FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.index_sizes() TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.index_sizes() TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.index_sizes() TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.is_forgotten(of_account text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.is_forgotten(of_account text) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.is_forgotten(of_account text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.is_forgotten(of_account text) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.is_forgotten(of_account text) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.is_known_account(of_account text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.is_known_account(of_account text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.is_known_account(of_account text) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.json_without_accounts(of_json jsonb, accounts text[], pseudonym text) FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.keep_order(order_id text, bundle_id text, product_id text, account_id text, quantity integer, app_account_token uuid, recovery boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.keep_upload(order_id text, proof text, transaction_id text, may_be_pending boolean) FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.latency_bounds() FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.latency_bounds() TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.latency_bounds() TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.latency_bounds() TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.latency_percentile(percent integer, buckets smallint[], reached bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.latency_percentile(percent integer, buckets smallint[], reached bigint[]) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.latency_percentile(percent integer, buckets smallint[], reached bigint[]) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.latency_percentile(percent integer, buckets smallint[], reached bigint[]) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.make_attempt_partitions() FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.make_attempt_partitions() TO counterfoil_worker;
REVOKE ALL ON FUNCTION counterfoil.make_change_partitions() FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.make_change_partitions() TO counterfoil_worker;
REVOKE ALL ON FUNCTION counterfoil.make_gates() FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.make_month_partitions(of_table text, by_column text) FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.make_role_settings() FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.make_trigger(of_table text, name text, definition text) FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.move_account(from_account text, to_account text, who text, why text, only_orders text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.move_account(from_account text, to_account text, who text, why text, only_orders text[]) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.moves_of_account(of_account text, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.moves_of_account(of_account text, most integer) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.moves_of_account(of_account text, most integer) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.moves_of_account(of_account text, most integer) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.names_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_key text, of_kind text, of_purchased_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.names_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_key text, of_kind text, of_purchased_at timestamp with time zone) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.names_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_key text, of_kind text, of_purchased_at timestamp with time zone) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.next_change_id() FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.next_change_id() TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.next_change_id() TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.next_step(of_order text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.next_step(of_order text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.next_step(of_order text) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.next_step(of_order text) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.notifications_named(id_or_uuid text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.notifications_named(id_or_uuid text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.notifications_named(id_or_uuid text) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.notifications_named(id_or_uuid text) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.open_feed() FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.open_orders(account_id text, product_id text, at_most integer, after_order_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.open_orders(account_id text, product_id text, at_most integer, after_order_id text) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.open_orders(account_id text, product_id text, at_most integer, after_order_id text) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.order_number_at(at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.order_number_at(at timestamp with time zone) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.order_number_at(at timestamp with time zone) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.order_number_at(at timestamp with time zone) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.order_status_of(order_id text, account_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.order_status_of(order_id text, account_id text) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.order_status_of(order_id text, account_id text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.order_status_of(order_id text, account_id text) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.order_status_of(order_id text, account_id text) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.order_statuses_of(order_ids text[], account_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.order_statuses_of(order_ids text[], account_id text) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.order_statuses_of(order_ids text[], account_id text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.order_statuses_of(order_ids text[], account_id text) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.order_statuses_of(order_ids text[], account_id text) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.order_statuses_of_accounts(order_ids text[], account_ids text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.order_statuses_of_accounts(order_ids text[], account_ids text[]) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.order_statuses_of_accounts(order_ids text[], account_ids text[]) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.order_statuses_of_accounts(order_ids text[], account_ids text[]) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.order_statuses_of_accounts(order_ids text[], account_ids text[]) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.orders_around(of_bundle text, of_product text, of_quantity integer, paid_at timestamp with time zone, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.orders_around(of_bundle text, of_product text, of_quantity integer, paid_at timestamp with time zone, most integer) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.orders_around(of_bundle text, of_product text, of_quantity integer, paid_at timestamp with time zone, most integer) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.orders_around(of_bundle text, of_product text, of_quantity integer, paid_at timestamp with time zone, most integer) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.waits_for_payment(state text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.waits_for_payment(state text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.waits_for_payment(state text) TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.apps TO counterfoil_worker;
GRANT SELECT,INSERT,UPDATE ON TABLE counterfoil.apps TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.products TO counterfoil_worker;
GRANT SELECT,INSERT ON TABLE counterfoil.products TO counterfoil_support;
GRANT UPDATE(kind) ON TABLE counterfoil.products TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.orders_for_payment(of_bundle text, of_product text, of_kind text, of_quantity integer, of_token uuid, paid_at timestamp with time zone, by_account text, shown_for text, shown_order_made_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.orders_for_payment(of_bundle text, of_product text, of_kind text, of_quantity integer, of_token uuid, paid_at timestamp with time zone, by_account text, shown_for text, shown_order_made_at timestamp with time zone) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.orders_for_payment(of_bundle text, of_product text, of_kind text, of_quantity integer, of_token uuid, paid_at timestamp with time zone, by_account text, shown_for text, shown_order_made_at timestamp with time zone) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.orders_of(account_id text, at_most integer, before_order_id text, state text, product_id text, payable boolean, bundle_ids text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.orders_of(account_id text, at_most integer, before_order_id text, state text, product_id text, payable boolean, bundle_ids text[]) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.orders_of(account_id text, at_most integer, before_order_id text, state text, product_id text, payable boolean, bundle_ids text[]) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.orders_of_account(of_account text, most integer, after_number bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.orders_of_account(of_account text, most integer, after_number bigint) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.owner_before(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, tokens uuid[], accounts text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.owner_before(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, tokens uuid[], accounts text[]) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.owner_before(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, tokens uuid[], accounts text[]) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.owner_before(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, tokens uuid[], accounts text[]) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.owner_before(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, tokens uuid[], accounts text[]) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.owner_of_period(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, of_expires_at timestamp with time zone, of_reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.owner_of_period(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, of_expires_at timestamp with time zone, of_reason text) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.owner_of_period(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, of_expires_at timestamp with time zone, of_reason text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.owner_of_period(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, of_expires_at timestamp with time zone, of_reason text) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.owner_of_period(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, of_expires_at timestamp with time zone, of_reason text) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.revocations_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_kind text, of_purchased_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.revocations_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_kind text, of_purchased_at timestamp with time zone) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.revocations_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_kind text, of_purchased_at timestamp with time zone) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.refund_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_kind text, of_purchased_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.refund_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_kind text, of_purchased_at timestamp with time zone) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.refund_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_kind text, of_purchased_at timestamp with time zone) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.refunds_before(of_bundle text, of_environment text, of_id text, of_original text, of_kind text, of_purchased_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.refunds_before(of_bundle text, of_environment text, of_id text, of_original text, of_kind text, of_purchased_at timestamp with time zone) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.refunds_before(of_bundle text, of_environment text, of_id text, of_original text, of_kind text, of_purchased_at timestamp with time zone) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.payment_facts(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_key text, of_kind text, of_purchased_at timestamp with time zone, of_token uuid, by_account text, order_token uuid, of_reason text, of_expires_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.payment_facts(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_key text, of_kind text, of_purchased_at timestamp with time zone, of_token uuid, by_account text, order_token uuid, of_reason text, of_expires_at timestamp with time zone) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.payment_facts(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_key text, of_kind text, of_purchased_at timestamp with time zone, of_token uuid, by_account text, order_token uuid, of_reason text, of_expires_at timestamp with time zone) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.payment_key(kind text, original text, item text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.payment_key(kind text, original text, item text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.payment_key(kind text, original text, item text) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.payments_of_original(of_bundle text, of_environment text, of_original text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.payments_of_original(of_bundle text, of_environment text, of_original text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.payments_of_original(of_bundle text, of_environment text, of_original text) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.place_order(order_id text, bundle_id text, product_id text, account_id text, quantity integer, app_account_token uuid, recovery boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.place_order(order_id text, bundle_id text, product_id text, account_id text, quantity integer, app_account_token uuid, recovery boolean) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.place_order(order_id text, bundle_id text, product_id text, account_id text, quantity integer, app_account_token uuid, recovery boolean) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.prepare_job() FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.preview_of_account(of_account text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.preview_of_account(of_account text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.preview_of_account(of_account text) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.prune_roll_ups(minutes_kept interval, hours_kept interval, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.prune_roll_ups(minutes_kept interval, hours_kept interval, most integer) TO counterfoil_worker;
REVOKE ALL ON FUNCTION counterfoil.queue_notifications() FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.raise_policy_number() FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.read_snapshot() FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.receive_notification(payload text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.receive_notification(payload text) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.receive_notification(payload text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.receive_notification(payload text) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.refuse(rule text) FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.refuse_change() FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.refuse_change_of_payment() FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.refuse_job() FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.refuse_moved_grants() FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.refuse_moved_grants() TO counterfoil_worker;
REVOKE ALL ON FUNCTION counterfoil.refuse_order() FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.refuse_order_of_moved_account() FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.replication_facts() FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.replication_facts() TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.replication_facts() TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.replication_facts() TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.review_causes(of_bundle text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.review_causes(of_bundle text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.review_causes(of_bundle text) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.review_causes(of_bundle text) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.roll_up() FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.roll_up() TO counterfoil_worker;
REVOKE ALL ON FUNCTION counterfoil.roll_up_hours(first_hour timestamp with time zone, past_last timestamp with time zone) FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.roll_up_minutes(first_minute timestamp with time zone, past_last timestamp with time zone) FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.rule_broken_by_job(kind text, order_id text, transaction_id text, proof text, notification_id bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.settle_webhook(endpoint integer, event_id text, lease_token integer, result text, error text, retry_seconds double precision, is_last boolean, pause_seconds double precision) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.settle_webhook(endpoint integer, event_id text, lease_token integer, result text, error text, retry_seconds double precision, is_last boolean, pause_seconds double precision) TO counterfoil_worker;
REVOKE ALL ON FUNCTION counterfoil.shell_words(VARIADIC words text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.shell_words(VARIADIC words text[]) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.shell_words(VARIADIC words text[]) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.shell_words(VARIADIC words text[]) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.signed_text_in(payload text) FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.snapshot_holders() FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.snapshot_holders() TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.snapshot_holders() TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.snapshot_holders() TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.store_notification(payload text, source text, is_verified boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.store_notification(payload text, source text, is_verified boolean) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.store_notification(payload text, source text, is_verified boolean) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.store_notification(payload text, source text, is_verified boolean) TO counterfoil_gateway;
REVOKE ALL ON FUNCTION counterfoil.submit(order_id text, bundle_id text, product_id text, account_id text, proof text, quantity integer, app_account_token uuid, recovery boolean, transaction_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.submit(order_id text, bundle_id text, product_id text, account_id text, proof text, quantity integer, app_account_token uuid, recovery boolean, transaction_id text) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.submit(order_id text, bundle_id text, product_id text, account_id text, proof text, quantity integer, app_account_token uuid, recovery boolean, transaction_id text) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.subscription_state(of_bundle text, of_environment text, of_original text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.subscription_state(of_bundle text, of_environment text, of_original text) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.subscription_state(of_bundle text, of_environment text, of_original text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.subscription_state(of_bundle text, of_environment text, of_original text) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.subscription_state(of_bundle text, of_environment text, of_original text) TO counterfoil_reader;
GRANT SELECT,INSERT,UPDATE ON TABLE counterfoil.accesses TO counterfoil_worker;
GRANT SELECT,INSERT,UPDATE ON TABLE counterfoil.accesses TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.accesses TO counterfoil_reader;
GRANT SELECT,INSERT,UPDATE ON TABLE counterfoil.subscriptions TO counterfoil_worker;
GRANT SELECT,INSERT,UPDATE ON TABLE counterfoil.subscriptions TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.subscriptions TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.access_states TO counterfoil_backend;
GRANT SELECT ON TABLE counterfoil.access_states TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.access_states TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.access_states TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.subscription_status TO counterfoil_backend;
GRANT SELECT ON TABLE counterfoil.subscription_status TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.subscription_status TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.subscription_status TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.subscription_status_of(bundle_id text, environment text, original_transaction_id text, account_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.subscription_status_of(bundle_id text, environment text, original_transaction_id text, account_id text) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.subscription_status_of(bundle_id text, environment text, original_transaction_id text, account_id text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.subscription_status_of(bundle_id text, environment text, original_transaction_id text, account_id text) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.subscription_status_of(bundle_id text, environment text, original_transaction_id text, account_id text) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.subscriptions_of(account_id text, bundle_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.subscriptions_of(account_id text, bundle_id text) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.subscriptions_of(account_id text, bundle_id text) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.take_from_history(payload text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.take_from_history(payload text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.take_from_history(payload text) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.take_proof(of_job bigint, who text, why text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.take_proof(of_job bigint, who text, why text) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.take_webhooks(names text[], at_most integer, lease_seconds double precision) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.take_webhooks(names text[], at_most integer, lease_seconds double precision) TO counterfoil_worker;
REVOKE ALL ON FUNCTION counterfoil.tell_consumption_request() FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.tell_found() FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.tell_moved_end() FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.tell_order() FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.tell_payments(of_bundles text[], of_environments text[], of_ids text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.tell_payments(of_bundles text[], of_environments text[], of_ids text[]) TO counterfoil_worker;
REVOKE ALL ON FUNCTION counterfoil.tell_refund() FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.tell_refund_in_force(of_order bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.tell_stored_notification() FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.tell_subscriptions(of_originals text[], of_bundles text[], of_environments text[], of_ids text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.tell_subscriptions(of_originals text[], of_bundles text[], of_environments text[], of_ids text[]) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.tell_subscriptions(of_originals text[], of_bundles text[], of_environments text[], of_ids text[]) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.tell_unclaimed() FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.tokens_of_subscription(of_bundle text, of_environment text, of_original text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.tokens_of_subscription(of_bundle text, of_environment text, of_original text) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.tokens_of_subscription(of_bundle text, of_environment text, of_original text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.tokens_of_subscription(of_bundle text, of_environment text, of_original text) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.tokens_of_subscription(of_bundle text, of_environment text, of_original text) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.told_after(told text, seen pg_snapshot) FROM PUBLIC;
GRANT SELECT ON TABLE counterfoil.payment_answers TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.payment_answers TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.transaction_status TO counterfoil_backend;
GRANT SELECT ON TABLE counterfoil.transaction_status TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.transaction_status TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.transaction_status TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.transaction_status_of(bundle_id text, environment text, transaction_id text, account_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.transaction_status_of(bundle_id text, environment text, transaction_id text, account_id text) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.transaction_status_of(bundle_id text, environment text, transaction_id text, account_id text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.transaction_status_of(bundle_id text, environment text, transaction_id text, account_id text) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.transaction_status_of(bundle_id text, environment text, transaction_id text, account_id text) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.transfer_order(of_order text, to_account text, who text, why text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.transfer_order(of_order text, to_account text, who text, why text) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.unclaimed_for_order(of_order text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.unclaimed_for_order(of_order text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.unclaimed_for_order(of_order text) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.unread_changes(cursor text, bundle_ids text[], kinds text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.unread_changes(cursor text, bundle_ids text[], kinds text[]) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.unread_changes(cursor text, bundle_ids text[], kinds text[]) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.unread_changes(cursor text, bundle_ids text[], kinds text[]) TO counterfoil_reader;
REVOKE ALL ON FUNCTION counterfoil.upload_status(job_id bigint, account_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.upload_status(job_id bigint, account_id text) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.upload_status(job_id bigint, account_id text) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.webhook_body(kind text, at timestamp with time zone, data jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.webhook_body(kind text, at timestamp with time zone, data jsonb) TO counterfoil_support;
REVOKE ALL ON FUNCTION counterfoil.with_epoch(drawn bigint, numbers_an_epoch bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION counterfoil.without_accounts(of_text text, accounts text[], pseudonym text) FROM PUBLIC;
GRANT SELECT,INSERT ON TABLE counterfoil.answered_orders TO counterfoil_worker;
GRANT SELECT,INSERT ON TABLE counterfoil.answered_orders TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.lane_backlogs TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.lane_backlogs TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.lane_backlogs TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.app_store_health TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.app_store_health TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.app_store_health TO counterfoil_reader;
GRANT SELECT,INSERT ON TABLE counterfoil.other_attempts TO counterfoil_worker;
GRANT SELECT,INSERT ON TABLE counterfoil.other_attempts TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.attempts TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.attempts TO counterfoil_support;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE counterfoil.awaited_renewals TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.budgets TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.budgets TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.budgets TO counterfoil_reader;
GRANT UPDATE(next_call_at) ON TABLE counterfoil.budgets TO counterfoil_worker;
GRANT UPDATE(next_call_at) ON TABLE counterfoil.budgets TO counterfoil_support;
GRANT SELECT,INSERT,UPDATE ON TABLE counterfoil.catch_ups TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.catch_ups TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.catch_ups TO counterfoil_reader;
GRANT UPDATE(caught_up_to) ON TABLE counterfoil.catch_ups TO counterfoil_support;
GRANT UPDATE(whole_at) ON TABLE counterfoil.catch_ups TO counterfoil_support;
GRANT UPDATE(due_at) ON TABLE counterfoil.catch_ups TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.changes TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.changes TO counterfoil_support;
GRANT INSERT(kind) ON TABLE counterfoil.changes TO counterfoil_worker;
GRANT INSERT(kind) ON TABLE counterfoil.changes TO counterfoil_support;
GRANT INSERT(orders) ON TABLE counterfoil.changes TO counterfoil_worker;
GRANT INSERT(orders) ON TABLE counterfoil.changes TO counterfoil_support;
GRANT INSERT(versions) ON TABLE counterfoil.changes TO counterfoil_worker;
GRANT INSERT(versions) ON TABLE counterfoil.changes TO counterfoil_support;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE counterfoil.credential_refusals TO counterfoil_worker;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE counterfoil.credential_refusals TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.definitions TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.definitions TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.erasures TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.erasures TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.erasures TO counterfoil_reader;
GRANT SELECT,INSERT,UPDATE ON TABLE counterfoil.former_credentials TO counterfoil_worker;
GRANT SELECT,INSERT,UPDATE ON TABLE counterfoil.former_credentials TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.gateway_keys TO counterfoil_gateway;
GRANT SELECT,INSERT ON TABLE counterfoil.gateway_keys TO counterfoil_support;
GRANT UPDATE(expires_at) ON TABLE counterfoil.gateway_keys TO counterfoil_support;
GRANT UPDATE(revoked_at) ON TABLE counterfoil.gateway_keys TO counterfoil_support;
GRANT UPDATE(revoked_by) ON TABLE counterfoil.gateway_keys TO counterfoil_support;
GRANT UPDATE(why) ON TABLE counterfoil.gateway_keys TO counterfoil_support;
GRANT UPDATE(last_used_on) ON TABLE counterfoil.gateway_keys TO counterfoil_gateway;
GRANT UPDATE(exposed_at) ON TABLE counterfoil.gateway_keys TO counterfoil_gateway;
GRANT SELECT ON TABLE counterfoil.gateway_key_states TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.gateway_key_states TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.gateway_key_states TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.grants TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.grants TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.grants TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.grants_by_hour TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.grants_by_hour TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.meant_waits TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.meant_waits TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.meant_waits TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.notification_silence TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.notification_silence TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.notification_silence TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.privileges TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.privileges TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.privileges TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.privileges_held TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.privileges_held TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.privileges_held TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.privilege_differences TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.privilege_differences TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.privilege_differences TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.promise TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.promise TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.promise TO counterfoil_reader;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE counterfoil.proofs TO counterfoil_worker;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE counterfoil.proofs TO counterfoil_support;
GRANT SELECT,INSERT,UPDATE ON TABLE counterfoil.refused_notifications TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.refused_notifications TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.refused_notifications TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.rejected_accounts TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.rejected_accounts TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.rejected_accounts TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.replication TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.replication TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.replication TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.roll_up_marks TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.roll_up_marks TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.unreadable_notifications TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.unreadable_notifications TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.unreadable_notifications TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.webhook_endpoints TO counterfoil_worker;
GRANT SELECT,INSERT,UPDATE ON TABLE counterfoil.webhook_endpoints TO counterfoil_support;
GRANT UPDATE(last_error) ON TABLE counterfoil.webhook_endpoints TO counterfoil_worker;
GRANT UPDATE(last_error_at) ON TABLE counterfoil.webhook_endpoints TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.webhook_events TO counterfoil_worker;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE counterfoil.webhook_events TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.webhook_status TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.webhook_status TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.webhook_status TO counterfoil_reader;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE counterfoil.workers TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.workers TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.worker_activity TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.worker_activity TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.worker_activity TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.health TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.health TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.health TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.latency TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.latency TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.latency TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.latency_by_hour TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.latency_by_hour TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.latency_by_hour TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.ledger TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.ledger TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.migrations TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.migrations TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.migrations TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.migrations TO counterfoil_gateway;
GRANT SELECT ON TABLE counterfoil.moves TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.moves TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.moves TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.open_reviews TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.open_reviews TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.order_events TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.order_events TO counterfoil_support;
GRANT INSERT(order_id) ON TABLE counterfoil.order_events TO counterfoil_worker;
GRANT INSERT(order_id) ON TABLE counterfoil.order_events TO counterfoil_support;
GRANT INSERT(kind) ON TABLE counterfoil.order_events TO counterfoil_worker;
GRANT INSERT(kind) ON TABLE counterfoil.order_events TO counterfoil_support;
GRANT INSERT(who) ON TABLE counterfoil.order_events TO counterfoil_worker;
GRANT INSERT(who) ON TABLE counterfoil.order_events TO counterfoil_support;
GRANT INSERT(why) ON TABLE counterfoil.order_events TO counterfoil_worker;
GRANT INSERT(why) ON TABLE counterfoil.order_events TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.sandbox_accounts TO counterfoil_worker;
GRANT SELECT,INSERT ON TABLE counterfoil.sandbox_accounts TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.order_facts TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.order_facts TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.order_story TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.order_story TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.order_story TO counterfoil_reader;
GRANT SELECT,INSERT ON TABLE counterfoil.orders_in_review TO counterfoil_worker;
GRANT SELECT,INSERT ON TABLE counterfoil.orders_in_review TO counterfoil_support;
GRANT SELECT,INSERT ON TABLE counterfoil.originals TO counterfoil_worker;
GRANT SELECT,INSERT ON TABLE counterfoil.originals TO counterfoil_support;
GRANT UPDATE(environment) ON TABLE counterfoil.originals TO counterfoil_worker;
GRANT UPDATE(environment) ON TABLE counterfoil.originals TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.overview TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.overview TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.overview TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.paid_not_delivered TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.paid_not_delivered TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.paid_not_delivered TO counterfoil_reader;
GRANT SELECT,INSERT,UPDATE ON TABLE counterfoil.period_ends TO counterfoil_worker;
GRANT SELECT,INSERT,UPDATE ON TABLE counterfoil.period_ends TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.period_ends TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.problems TO counterfoil_gateway;
GRANT SELECT ON TABLE counterfoil.problems TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.product_funnel TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.product_funnel TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.product_funnel TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.purchase_terms TO counterfoil_backend;
GRANT SELECT ON TABLE counterfoil.purchase_terms TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.purchase_terms TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.purchase_terms TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.refusal_standings TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.refusal_standings TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.rejections TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.rejections TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.rejections TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.role_settings TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.role_settings TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.role_settings TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.stored_notifications TO counterfoil_backend;
GRANT SELECT ON TABLE counterfoil.stored_notifications TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.stored_notifications TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.stored_notifications TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.stuck_orders TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.stuck_orders TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.stuck_orders TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.suspicious_accounts TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.suspicious_accounts TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.suspicious_accounts TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.throughput TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.throughput TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.throughput TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.throughput_by_hour TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.throughput_by_hour TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.throughput_by_hour TO counterfoil_reader;
GRANT SELECT ON TABLE counterfoil.unclaimed_transactions TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.unclaimed_transactions TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.unclaimed_transactions TO counterfoil_reader;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE counterfoil.unfound_payments TO counterfoil_worker;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE counterfoil.unfound_payments TO counterfoil_support;
GRANT SELECT,INSERT ON TABLE counterfoil.webhook_acts TO counterfoil_support;
