-- The schema of a migrated database, as pg_dump writes it. Generated: SchemaSnapshotTests says how, and keeps it true.

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
	app_account_token uuid
);

ALTER TYPE counterfoil.change OWNER TO counterfoil_owner;

COMMENT ON TYPE counterfoil.change IS 'A change of the feed, as a shop''s function is given it by counterfoil deliver.';

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
    version integer DEFAULT 0 NOT NULL,
    CONSTRAINT account_id_has_1_to_200_characters CHECK (((length(account_id) >= 1) AND (length(account_id) <= 200))),
    CONSTRAINT closed_orders_say_why CHECK (((state <> ALL (ARRAY['rejected'::text, 'review'::text, 'refunded'::text, 'cancelled'::text])) OR (reason IS NOT NULL))),
    CONSTRAINT fulfilled_orders_say_when CHECK (((state <> 'fulfilled'::text) OR (fulfilled_at IS NOT NULL))),
    CONSTRAINT order_environment_is_known CHECK ((environment = ANY (ARRAY['production'::text, 'sandbox'::text]))),
    CONSTRAINT order_id_has_1_to_200_characters CHECK (((length(order_id) >= 1) AND (length(order_id) <= 200))),
    CONSTRAINT order_state_is_known CHECK ((state = ANY (ARRAY['open'::text, 'fulfilled'::text, 'refunded'::text, 'rejected'::text, 'review'::text, 'cancelled'::text]))),
    CONSTRAINT ordered_product_id_has_1_to_200_characters CHECK (((length(product_id) >= 1) AND (length(product_id) <= 200))),
    CONSTRAINT paid_orders_name_their_transaction CHECK (((state <> ALL (ARRAY['fulfilled'::text, 'refunded'::text])) OR ((transaction_id IS NOT NULL) AND (environment IS NOT NULL)))),
    CONSTRAINT quantity_is_1_to_10 CHECK (((quantity >= 1) AND (quantity <= 10)))
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_cost_delay='0');
ALTER TABLE ONLY counterfoil.orders ALTER COLUMN app_account_token SET (n_distinct=-0.5);

ALTER TABLE counterfoil.orders OWNER TO counterfoil_owner;

COMMENT ON TABLE counterfoil.orders IS 'What a customer bought. Never deleted; backends insert, and workers, operators and the public functions change it.';

CREATE FUNCTION counterfoil.account_of_token(of_bundle text, token uuid) RETURNS TABLE(account_id text)
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT smallest.account_id
    FROM ( SELECT o.account_id
            FROM counterfoil.orders o
           WHERE ((o.app_account_token = account_of_token.token) AND (o.bundle_id = account_of_token.of_bundle))
           ORDER BY o.account_id
          LIMIT 1) smallest
   WHERE (smallest.account_id = ( SELECT o.account_id
            FROM counterfoil.orders o
           WHERE ((o.app_account_token = account_of_token.token) AND (o.bundle_id = account_of_token.of_bundle))
           ORDER BY o.account_id DESC
          LIMIT 1));
END;

ALTER FUNCTION counterfoil.account_of_token(of_bundle text, token uuid) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.account_of_token(of_bundle text, token uuid) IS 'Private: the account that an app account token speaks for.';

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
    expires_at timestamp with time zone,
    app_account_token uuid,
    account_id text COLLATE pg_catalog."C",
    shown_by text COLLATE pg_catalog."C",
    seen_at timestamp with time zone DEFAULT now() NOT NULL,
    reason text,
    order_id text COLLATE pg_catalog."C",
    granted_at timestamp with time zone,
    job_id bigint,
    price_milliunits bigint,
    currency text,
    customer_id text COLLATE pg_catalog."C",
    CONSTRAINT additional_reason_is_known CHECK ((additional_reason = ANY (ARRAY['seat_addition'::text, 'unknown'::text]))),
    CONSTRAINT granted_payments_are_known CHECK (((order_id IS NULL) OR ((product_kind IS NOT NULL) AND (account_id IS NOT NULL) AND (shown_by IS NOT NULL)))),
    CONSTRAINT granted_payments_name_their_order CHECK (((order_id IS NULL) = (granted_at IS NULL))),
    CONSTRAINT paid_kind_is_known CHECK ((product_kind = ANY (ARRAY['consumable'::text, 'non_consumable'::text, 'non_renewing'::text, 'auto_renewable'::text]))),
    CONSTRAINT paid_quantity_is_positive CHECK ((quantity > 0)),
    CONSTRAINT payment_environment_is_known CHECK ((environment = ANY (ARRAY['production'::text, 'sandbox'::text]))),
    CONSTRAINT payment_key_names_its_kind CHECK ((payment_key ~ '^(original|web_order):.'::text)),
    CONSTRAINT purchase_reason_is_known CHECK ((purchase_reason = ANY (ARRAY['purchase'::text, 'renewal'::text]))),
    CONSTRAINT ungranted_payments_say_why CHECK (((order_id IS NULL) = (reason IS NOT NULL)))
);

ALTER TABLE counterfoil.payments OWNER TO counterfoil_owner;

COMMENT ON TABLE counterfoil.payments IS 'The ledger: every verified transaction, and the order that it paid for. A grant is never changed or removed.';

CREATE FUNCTION counterfoil.accounts_of_customer(of_bundle text, of_environment text, of_id text, of_original text) RETURNS TABLE(account_id text)
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT k.account_id
    FROM ( SELECT p.account_id
            FROM counterfoil.payments p
           WHERE ((p.customer_id = ( SELECT c.customer_id
                    FROM counterfoil.payments c
                   WHERE ((c.transaction_id = accounts_of_customer.of_id) AND (c.bundle_id = accounts_of_customer.of_bundle) AND (c.environment = accounts_of_customer.of_environment)))) AND (p.bundle_id = accounts_of_customer.of_bundle) AND (p.environment = accounts_of_customer.of_environment) AND (p.account_id IS NOT NULL))
         UNION
          SELECT p.account_id
            FROM counterfoil.payments p
           WHERE ((p.original_transaction_id = accounts_of_customer.of_original) AND (p.bundle_id = accounts_of_customer.of_bundle) AND (p.environment = accounts_of_customer.of_environment) AND (p.original_transaction_id <> p.transaction_id) AND (p.account_id IS NOT NULL))
         UNION
          SELECT p.account_id
            FROM counterfoil.payments p
           WHERE ((p.transaction_id = accounts_of_customer.of_original) AND (p.bundle_id = accounts_of_customer.of_bundle) AND (p.environment = accounts_of_customer.of_environment) AND (p.account_id IS NOT NULL))
  LIMIT 10) k
  OFFSET 0;
END;

ALTER FUNCTION counterfoil.accounts_of_customer(of_bundle text, of_environment text, of_id text, of_original text) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.accounts_of_customer(of_bundle text, of_environment text, of_id text, of_original text) IS 'Private: the accounts that Apple''s customer was seen with.';

CREATE FUNCTION counterfoil.adopt_changes() RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    -- More changes than anybody makes between two backups.
    numbers_lost constant bigint := 1000000000;
    partition text;
    of_server text := (select f.server from counterfoil.feed f for update);
begin
    if of_server = counterfoil.feed_server() then
        return false;
    end if;
    if of_server <> '' then
        -- The trigger that keeps the table append-only doesn't stand on its partitions.
        for partition in
            select c.relname
            from pg_inherits i
            join pg_class c on c.oid = i.inhrelid
            where i.inhparent = 'counterfoil.changes'::regclass
        loop
            execute format('update counterfoil.%I set xid = pg_current_xact_id()', partition);
        end loop;
        perform setval('counterfoil.change_ids', nextval('counterfoil.change_ids') + numbers_lost);
    end if;
    update counterfoil.feed f set server = counterfoil.feed_server(), dropped_xid = '0';
    return of_server <> '';
end
$$;

ALTER FUNCTION counterfoil.adopt_changes() OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.adopt_changes() IS 'Private: makes the changes of a restored database readable.';

CREATE FUNCTION counterfoil.bought_apart(of_bundle text, of_environment text, of_original text, one timestamp with time zone, other timestamp with time zone) RETURNS boolean
    LANGUAGE sql STABLE STRICT SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
    select exists (
        select from counterfoil.revocations r
        where r.original_transaction_id = of_original and r.bundle_id = of_bundle and r.environment = of_environment
            and r.share = 100000 and r.occurred_at >= least(one, other) and r.occurred_at < greatest(one, other)
            and not exists (
                select from counterfoil.revocations v
                where v.original_transaction_id = of_original and v.bundle_id = of_bundle and v.environment = of_environment
                    and v.transaction_id = r.transaction_id and v.kind = 'reversal' and v.occurred_at >= r.occurred_at
                    and v.occurred_at < greatest(one, other)
            )
    )
$$;

ALTER FUNCTION counterfoil.bought_apart(of_bundle text, of_environment text, of_original text, one timestamp with time zone, other timestamp with time zone) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.bought_apart(of_bundle text, of_environment text, of_original text, one timestamp with time zone, other timestamp with time zone) IS 'Private: whether a refund lay between two purchases of one original transaction.';

CREATE FUNCTION counterfoil.is_one_payment(of_bundle text, of_environment text, of_original text, one_kind text, one_item text, one_purchased_at timestamp with time zone, other_kind text, other_item text, other_purchased_at timestamp with time zone) RETURNS boolean
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT
         CASE COALESCE(NULLIF(one_kind, 'consumable'::text), other_kind, one_kind)
             WHEN 'consumable'::text THEN (((one_kind = 'consumable'::text) AND (other_kind = 'consumable'::text)) IS TRUE)
             WHEN 'non_consumable'::text THEN (counterfoil.bought_apart(of_bundle, of_environment, of_original, one_purchased_at, other_purchased_at) IS NOT TRUE)
             WHEN 'non_renewing'::text THEN (counterfoil.bought_apart(of_bundle, of_environment, of_original, one_purchased_at, other_purchased_at) IS NOT TRUE)
             ELSE ((one_item = other_item) OR (((one_item IS NULL) OR (other_item IS NULL)) AND (date_trunc('second'::text, one_purchased_at) = date_trunc('second'::text, other_purchased_at))))
         END AS "case";
END;

ALTER FUNCTION counterfoil.is_one_payment(of_bundle text, of_environment text, of_original text, one_kind text, one_item text, one_purchased_at timestamp with time zone, other_kind text, other_item text, other_purchased_at timestamp with time zone) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.is_one_payment(of_bundle text, of_environment text, of_original text, one_kind text, one_item text, one_purchased_at timestamp with time zone, other_kind text, other_item text, other_purchased_at timestamp with time zone) IS 'Private: whether two transactions of one original, under different ids, are one payment.';

CREATE FUNCTION counterfoil.names_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_key text, of_kind text, of_purchased_at timestamp with time zone) RETURNS TABLE(transaction_id text, account_id text, order_id text, reason text, seen_at timestamp with time zone, product_kind text, additional_reason text)
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT p.transaction_id,
     p.account_id,
     p.order_id,
     p.reason,
     p.seen_at,
     p.product_kind,
     p.additional_reason
    FROM counterfoil.payments p
   WHERE ((p.transaction_id = names_of_payment.of_id) AND (p.bundle_id = names_of_payment.of_bundle) AND (p.environment = names_of_payment.of_environment))
 UNION ALL
  SELECT p.transaction_id,
     p.account_id,
     p.order_id,
     p.reason,
     p.seen_at,
     p.product_kind,
     p.additional_reason
    FROM counterfoil.payments p
   WHERE ((p.payment_key = names_of_payment.of_key) AND (p.bundle_id = names_of_payment.of_bundle) AND (p.environment = names_of_payment.of_environment) AND (p.granted_at IS NOT NULL) AND ((p.payment_key ~~ 'web_order:%'::text) OR counterfoil.is_one_payment(names_of_payment.of_bundle, names_of_payment.of_environment, names_of_payment.of_original, names_of_payment.of_kind, names_of_payment.of_item, names_of_payment.of_purchased_at, p.product_kind, p.web_order_line_item_id, p.purchased_at)))
 UNION ALL
  SELECT p.transaction_id,
     p.account_id,
     p.order_id,
     p.reason,
     p.seen_at,
     p.product_kind,
     p.additional_reason
    FROM counterfoil.payments p
   WHERE ((p.original_transaction_id = names_of_payment.of_original) AND (p.bundle_id = names_of_payment.of_bundle) AND (p.environment = names_of_payment.of_environment) AND (p.original_transaction_id <> p.transaction_id) AND (p.transaction_id <> names_of_payment.of_id) AND counterfoil.is_one_payment(names_of_payment.of_bundle, names_of_payment.of_environment, names_of_payment.of_original, names_of_payment.of_kind, names_of_payment.of_item, names_of_payment.of_purchased_at, p.product_kind, p.web_order_line_item_id, p.purchased_at))
 UNION ALL
  SELECT p.transaction_id,
     p.account_id,
     p.order_id,
     p.reason,
     p.seen_at,
     p.product_kind,
     p.additional_reason
    FROM counterfoil.payments p
   WHERE ((names_of_payment.of_id <> names_of_payment.of_original) AND (p.transaction_id = names_of_payment.of_original) AND (p.bundle_id = names_of_payment.of_bundle) AND (p.environment = names_of_payment.of_environment) AND counterfoil.is_one_payment(names_of_payment.of_bundle, names_of_payment.of_environment, names_of_payment.of_original, names_of_payment.of_kind, names_of_payment.of_item, names_of_payment.of_purchased_at, p.product_kind, p.web_order_line_item_id, p.purchased_at))
 OFFSET 0;
END;

ALTER FUNCTION counterfoil.names_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_key text, of_kind text, of_purchased_at timestamp with time zone) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.names_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_key text, of_kind text, of_purchased_at timestamp with time zone) IS 'Private: the transactions that are one payment.';

CREATE FUNCTION counterfoil.owner_of_period(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone) RETURNS TABLE(account_id text)
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT g.account_id
    FROM ( SELECT p.account_id,
             p.purchased_at
            FROM counterfoil.payments p
           WHERE ((p.original_transaction_id = owner_of_period.of_original) AND (p.bundle_id = owner_of_period.of_bundle) AND (p.environment = owner_of_period.of_environment) AND (p.original_transaction_id <> p.transaction_id) AND (p.granted_at IS NOT NULL) AND (p.purchased_at < owner_of_period.of_purchased_at))
         UNION ALL
          SELECT p.account_id,
             p.purchased_at
            FROM counterfoil.payments p
           WHERE ((p.transaction_id = owner_of_period.of_original) AND (p.bundle_id = owner_of_period.of_bundle) AND (p.environment = owner_of_period.of_environment) AND (p.granted_at IS NOT NULL) AND (p.purchased_at < owner_of_period.of_purchased_at))) g
   ORDER BY g.purchased_at DESC
  LIMIT 1;
END;

ALTER FUNCTION counterfoil.owner_of_period(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.owner_of_period(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone) IS 'Private: the account to which the latest earlier period of a subscription was granted.';

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

CREATE VIEW counterfoil.standing_revocations AS
 SELECT r.transaction_id,
    r.bundle_id,
    r.environment,
    r.original_transaction_id,
    r.web_order_line_item_id,
    r.occurred_at,
    r.as_of,
    r.recorded_at,
    r.share,
    r.seats,
    r.revocation_type,
    r.revocation_reason,
    COALESCE((r.share = 100000), false) AS is_whole,
    COALESCE(r.purchased_at, r.occurred_at) AS purchased_at
   FROM counterfoil.revocations r
  WHERE ((r.kind = 'revocation'::text) AND (( SELECT true
           FROM counterfoil.revocations v
          WHERE ((v.original_transaction_id = r.original_transaction_id) AND (v.bundle_id = r.bundle_id) AND (v.environment = r.environment) AND (v.transaction_id = r.transaction_id) AND
                CASE
                    WHEN (v.kind = 'reversal'::text) THEN (v.as_of >= r.as_of)
                    WHEN (r.knows_no_share AND (v.share < 100000) AND (v.occurred_at >= r.occurred_at)) THEN true
                    WHEN (v.share IS NULL) THEN ((r.share IS NULL) AND (ROW(v.as_of, v.id) > ROW(r.as_of, r.id)))
                    WHEN ((r.share IS NOT NULL) AND (NOT v.knows_no_share)) THEN (ROW(v.as_of, v.share, v.id) > ROW(r.as_of, r.share, r.id))
                    ELSE (((r.share IS NULL) OR (ROW(v.as_of, v.share, v.id) > ROW(r.as_of, r.share, r.id))) AND (( SELECT true
                       FROM counterfoil.revocations w
                      WHERE ((w.original_transaction_id = v.original_transaction_id) AND (w.bundle_id = v.bundle_id) AND (w.environment = v.environment) AND (w.transaction_id = v.transaction_id) AND (((w.kind = 'reversal'::text) AND (w.as_of >= v.as_of)) OR (v.knows_no_share AND (w.share < 100000) AND (w.occurred_at >= v.occurred_at))))
                     LIMIT 1) IS NULL))
                END)
         LIMIT 1) IS NULL));

ALTER TABLE counterfoil.standing_revocations OWNER TO counterfoil_owner;

COMMENT ON VIEW counterfoil.standing_revocations IS 'Private: transactions that Apple took back, and didn''t give back since.';

CREATE FUNCTION counterfoil.revocations_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_kind text, of_purchased_at timestamp with time zone) RETURNS TABLE(transaction_id text, as_of timestamp with time zone, recorded_at timestamp with time zone, share integer, is_whole boolean)
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT r.transaction_id,
     r.as_of,
     r.recorded_at,
     r.share,
     r.is_whole
    FROM counterfoil.standing_revocations r
   WHERE ((r.original_transaction_id = revocations_of_payment.of_original) AND (r.bundle_id = revocations_of_payment.of_bundle) AND (r.environment = revocations_of_payment.of_environment) AND ((r.transaction_id = revocations_of_payment.of_id) OR counterfoil.is_one_payment(revocations_of_payment.of_bundle, revocations_of_payment.of_environment, revocations_of_payment.of_original, revocations_of_payment.of_kind, revocations_of_payment.of_item, revocations_of_payment.of_purchased_at, ( SELECT p.product_kind
            FROM counterfoil.payments p
           WHERE ((p.transaction_id = r.transaction_id) AND (p.bundle_id = revocations_of_payment.of_bundle) AND (p.environment = revocations_of_payment.of_environment))), r.web_order_line_item_id, r.purchased_at)))
  OFFSET 0;
END;

ALTER FUNCTION counterfoil.revocations_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_kind text, of_purchased_at timestamp with time zone) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.revocations_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_kind text, of_purchased_at timestamp with time zone) IS 'Private: the standing revocations of a payment.';

CREATE FUNCTION counterfoil.refund_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_kind text, of_purchased_at timestamp with time zone) RETURNS TABLE(share integer, is_whole boolean, as_of timestamp with time zone, recorded_at timestamp with time zone)
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT v.share,
     v.is_whole,
     v.as_of,
     v.recorded_at
    FROM counterfoil.revocations_of_payment(refund_of_payment.of_bundle, refund_of_payment.of_environment, refund_of_payment.of_id, refund_of_payment.of_original, refund_of_payment.of_item, refund_of_payment.of_kind, refund_of_payment.of_purchased_at) v(transaction_id, as_of, recorded_at, share, is_whole)
   ORDER BY (v.share IS NULL), v.as_of DESC, v.share DESC
  LIMIT 1;
END;

ALTER FUNCTION counterfoil.refund_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_kind text, of_purchased_at timestamp with time zone) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.refund_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_kind text, of_purchased_at timestamp with time zone) IS 'Private: what stands of a payment''s refunds.';

CREATE FUNCTION counterfoil.refunds_before(of_bundle text, of_environment text, of_id text, of_original text, of_kind text, of_purchased_at timestamp with time zone) RETURNS TABLE(transaction_id text)
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT r.transaction_id
    FROM counterfoil.revocations r
   WHERE ((r.original_transaction_id = refunds_before.of_original) AND (r.bundle_id = refunds_before.of_bundle) AND (r.environment = refunds_before.of_environment) AND (r.transaction_id <> refunds_before.of_id) AND (r.share = 100000) AND (r.occurred_at < refunds_before.of_purchased_at) AND (NOT (EXISTS ( SELECT
            FROM counterfoil.revocations v
           WHERE ((v.original_transaction_id = refunds_before.of_original) AND (v.bundle_id = refunds_before.of_bundle) AND (v.environment = refunds_before.of_environment) AND (v.transaction_id = r.transaction_id) AND (v.kind = 'reversal'::text) AND (v.occurred_at >= r.occurred_at) AND ((refunds_before.of_kind = 'auto_renewable'::text) OR (v.occurred_at < refunds_before.of_purchased_at)))))))
  OFFSET 0;
END;

ALTER FUNCTION counterfoil.refunds_before(of_bundle text, of_environment text, of_id text, of_original text, of_kind text, of_purchased_at timestamp with time zone) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.refunds_before(of_bundle text, of_environment text, of_id text, of_original text, of_kind text, of_purchased_at timestamp with time zone) IS 'Private: the refunds of the same original transaction that a purchase came after.';

CREATE FUNCTION counterfoil.against_grant(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_key text, of_kind text, of_purchased_at timestamp with time zone, of_token uuid, by_account text, order_token uuid) RETURNS TABLE(is_seen boolean, holder_order_id text, holder_account_id text, holder_transaction_id text, refunded_as_of timestamp with time zone, refund_recorded_at timestamp with time zone, is_partly_refunded boolean, is_addition boolean, is_bought_again boolean, is_anothers boolean)
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT n.is_seen,
     n.order_id,
     n.holder_account_id,
     n.holder_transaction_id,
         CASE
             WHEN r.is_whole THEN r.as_of
             ELSE NULL::timestamp with time zone
         END AS "case",
         CASE
             WHEN r.is_whole THEN r.recorded_at
             ELSE NULL::timestamp with time zone
         END AS "case",
     COALESCE((NOT r.is_whole), false) AS "coalesce",
     n.is_addition,
     (((against_grant.of_kind = ANY (ARRAY['non_consumable'::text, 'non_renewing'::text])) AND (( SELECT true
            FROM counterfoil.refunds_before(against_grant.of_bundle, against_grant.of_environment, against_grant.of_id, against_grant.of_original, against_grant.of_kind, against_grant.of_purchased_at) refunds_before(transaction_id)
          LIMIT 1) IS NOT NULL)) OR ((against_grant.of_kind = ANY (ARRAY['non_consumable'::text, 'non_renewing'::text])) AND (n.order_id IS NULL) AND (( SELECT true
            FROM counterfoil.payments p
           WHERE ((p.payment_key = against_grant.of_key) AND (p.bundle_id = against_grant.of_bundle) AND (p.environment = against_grant.of_environment) AND (p.granted_at IS NOT NULL))) IS NOT NULL))),
     (
         CASE
             WHEN (t.token = against_grant.order_token) THEN false
             WHEN ((t.token IS NOT NULL) AND (against_grant.order_token IS NOT NULL)) THEN (( SELECT a.account_id
                FROM counterfoil.account_of_token(against_grant.of_bundle, t.token) a(account_id)) IS DISTINCT FROM against_grant.by_account)
             ELSE (COALESCE(
             CASE
                 WHEN (t.token IS NOT NULL) THEN ( SELECT a.account_id
                    FROM counterfoil.account_of_token(against_grant.of_bundle, t.token) a(account_id))
                 ELSE NULL::text
             END,
             CASE
                 WHEN (against_grant.of_kind = 'auto_renewable'::text) THEN ( SELECT w.account_id
                    FROM counterfoil.owner_of_period(against_grant.of_bundle, against_grant.of_environment, against_grant.of_original, against_grant.of_purchased_at) w(account_id))
                 ELSE NULL::text
             END, n.shown_by_account_id) <> against_grant.by_account)
         END IS TRUE)
    FROM ((( SELECT COALESCE(bool_or((p.transaction_id = against_grant.of_id)), false) AS is_seen,
             COALESCE(bool_or(((p.transaction_id = against_grant.of_id) AND (p.additional_reason IS NOT NULL))), false) AS is_addition,
             max(p.order_id) AS order_id,
             max(p.account_id) FILTER (WHERE (p.order_id IS NOT NULL)) AS holder_account_id,
             max(p.transaction_id) FILTER (WHERE (p.order_id IS NOT NULL)) AS holder_transaction_id,
             (array_agg(p.account_id ORDER BY p.seen_at, p.transaction_id) FILTER (WHERE ((p.order_id IS NULL) AND (p.account_id IS NOT NULL) AND (p.reason <> 'owner_mismatch'::text))))[1] AS shown_by_account_id
            FROM counterfoil.names_of_payment(against_grant.of_bundle, against_grant.of_environment, against_grant.of_id, against_grant.of_original, against_grant.of_item, against_grant.of_key, against_grant.of_kind, against_grant.of_purchased_at) p(transaction_id, account_id, order_id, reason, seen_at, product_kind, additional_reason)) n
      CROSS JOIN LATERAL ( SELECT COALESCE(against_grant.of_token,
                 CASE
                     WHEN n.is_seen THEN ( SELECT p.app_account_token
                        FROM counterfoil.payments p
                       WHERE ((p.transaction_id = against_grant.of_id) AND (p.bundle_id = against_grant.of_bundle) AND (p.environment = against_grant.of_environment)))
                     ELSE NULL::uuid
                 END) AS token
          OFFSET 0) t)
      LEFT JOIN LATERAL counterfoil.refund_of_payment(against_grant.of_bundle, against_grant.of_environment, against_grant.of_id, against_grant.of_original, against_grant.of_item, against_grant.of_kind, against_grant.of_purchased_at) r(share, is_whole, as_of, recorded_at) ON (true));
END;

ALTER FUNCTION counterfoil.against_grant(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_key text, of_kind text, of_purchased_at timestamp with time zone, of_token uuid, by_account text, order_token uuid) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.against_grant(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_key text, of_kind text, of_purchased_at timestamp with time zone, of_token uuid, by_account text, order_token uuid) IS 'Private: what stands against granting a transaction.';

CREATE FUNCTION counterfoil.attempt_outcome(disposition text, reason text, transaction_id text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
 SELECT
         CASE disposition
             WHEN 'complete'::text THEN
             CASE
                 WHEN ((reason IS NULL) AND (transaction_id IS NOT NULL)) THEN 'fulfilled'::text
                 WHEN (reason IS NULL) THEN 'unchanged'::text
                 WHEN (reason = 'refunded'::text) THEN 'refunded'::text
                 WHEN (reason = 'another_payment'::text) THEN 'unchanged'::text
                 WHEN ((reason = 'wrong_product'::text) AND (transaction_id IS NOT NULL)) THEN 'review'::text
                 WHEN (reason = ANY (ARRAY['malformed_proof'::text, 'purchase_not_in_receipt'::text, 'proof_too_large'::text, 'bad_certificate'::text, 'untrusted_root'::text, 'bad_signature'::text, 'unsupported_environment'::text, 'not_authentic'::text, 'customer_not_found'::text, 'wrong_app'::text, 'wrong_product'::text, 'transaction_not_found'::text, 'sandbox_not_allowed'::text, 'family_shared'::text, 'assigned_seat'::text, 'already_granted'::text, 'already_owned'::text, 'granted_to_another_account'::text])) THEN 'rejected'::text
                 ELSE 'review'::text
             END
             WHEN 'retry'::text THEN 'retried'::text
             WHEN 'snooze'::text THEN 'snoozed'::text
             WHEN 'release'::text THEN 'released'::text
             WHEN 'discard'::text THEN 'discarded'::text
             WHEN 'rescue'::text THEN 'rescued'::text
             WHEN 'cancel'::text THEN 'cancelled'::text
             ELSE NULL::text
         END AS "case";
END;

ALTER FUNCTION counterfoil.attempt_outcome(disposition text, reason text, transaction_id text) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.attempt_outcome(disposition text, reason text, transaction_id text) IS 'What came of an attempt: fulfilled, refunded, rejected, review, unchanged, retried, snoozed, released, discarded, rescued or cancelled.';

CREATE FUNCTION counterfoil.can_be_ordered_again(of_id text, of_bundle text, of_environment text) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS $$
begin
    return true is not distinct from (
        select
            s.state = 'unclaimed'
            and s.reason in (
                'wrong_product', 'quantity_short', 'order_already_paid', 'order_cancelled', 'no_order', 'purchase_before_order')
            and s.purchased_at >= o.created_at - a.purchase_time_tolerance
            and s.purchased_at >= coalesce(a.ledger_starts_at, '-infinity')
            and (o.app_account_token is null or s.app_account_token is not null or a.absent_token_policy <> 'review')
            -- A restore names no date of its purchase; a period without a number of its own needs Apple's word.
            and case
                when s.product_kind = 'auto_renewable' then s.web_order_line_item_id is not null
                else s.transaction_id = s.original_transaction_id
            end
            -- Apple's kind differs from the listed one.
            and s.product_kind = coalesce(
                (select p.kind from counterfoil.products p where p.bundle_id = s.bundle_id and p.product_id = s.product_id),
                s.product_kind
            )
            and g.holder_order_id is null and g.refunded_as_of is null
            and not (g.is_partly_refunded or g.is_addition or g.is_bought_again or g.is_anothers)
        from counterfoil.payment_states s
        join counterfoil.orders o on o.order_id = s.shown_by and o.account_id = s.account_id
        join counterfoil.apps a on a.bundle_id = s.bundle_id
        cross join lateral counterfoil.against_grant(
            s.bundle_id, s.environment, s.transaction_id, s.original_transaction_id, s.web_order_line_item_id, s.payment_key,
            s.product_kind, s.purchased_at, s.app_account_token, s.account_id, o.app_account_token) g
        where s.transaction_id = of_id and s.bundle_id = of_bundle and s.environment = of_environment
    );
end
$$;

ALTER FUNCTION counterfoil.can_be_ordered_again(of_id text, of_bundle text, of_environment text) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.can_be_ordered_again(of_id text, of_bundle text, of_environment text) IS 'Private: whether a payment pays for a new order of its account, product and quantity.';

CREATE FUNCTION counterfoil.client_action(state text, reason text, pending text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
 SELECT
         CASE
             WHEN (state = ANY (ARRAY['fulfilled'::text, 'refunded'::text])) THEN 'finish'::text
             WHEN (pending = 'purchase_not_in_receipt'::text) THEN 'resend_proof'::text
             WHEN (pending IS NOT NULL) THEN 'wait'::text
             WHEN (state = 'open'::text) THEN 'upload_proof'::text
             WHEN ((state = 'rejected'::text) AND (reason = ANY (ARRAY['malformed_proof'::text, 'purchase_not_in_receipt'::text]))) THEN 'resend_proof'::text
             WHEN ((state = 'rejected'::text) AND (reason = ANY (ARRAY['already_granted'::text, 'already_owned'::text]))) THEN 'finish'::text
             ELSE 'contact_support'::text
         END AS "case";
END;

ALTER FUNCTION counterfoil.client_action(state text, reason text, pending text) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.client_action(state text, reason text, pending text) IS 'What the client should do: wait, finish, upload_proof, resend_proof or contact_support.';

CREATE FUNCTION counterfoil.uploads_are_unreadable(order_id text, attempts integer, last_attempt_at timestamp with time zone, uploads integer DEFAULT 5, period interval DEFAULT '01:00:00'::interval, most integer DEFAULT 200) RETURNS boolean
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $$
begin
    return case
        when attempts < uploads then false
        when attempts > most then true
        else (
            select count(*) >= uploads
            from counterfoil.attempts a
            where a.order_id = uploads_are_unreadable.order_id
                and a.finished_at > last_attempt_at - period and a.finished_at <= last_attempt_at
                and a.disposition = 'complete' and a.reason in ('malformed_proof', 'proof_too_large')
                and not exists (
                    -- Its job was made with the event. The time of the attempt is rounded.
                    select from counterfoil.order_events e
                    where e.order_id = uploads_are_unreadable.order_id and e.kind = 'judged_again'
                        and e.occurred_at between a.submitted_at - interval '1 ms' and a.submitted_at + interval '1 ms'
                )
        )
    end;
end
$$;

ALTER FUNCTION counterfoil.uploads_are_unreadable(order_id text, attempts integer, last_attempt_at timestamp with time zone, uploads integer, period interval, most integer) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.uploads_are_unreadable(order_id text, attempts integer, last_attempt_at timestamp with time zone, uploads integer, period interval, most integer) IS 'Whether an order''s uploads were unreadable so often that the client should send no more.';

CREATE TABLE counterfoil.attempts (
    job_id bigint NOT NULL,
    order_id text NOT NULL COLLATE pg_catalog."C",
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
    CONSTRAINT disposition_is_known CHECK ((disposition = ANY (ARRAY['complete'::text, 'retry'::text, 'snooze'::text, 'release'::text, 'discard'::text, 'rescue'::text, 'cancel'::text])))
)
PARTITION BY RANGE (finished_at);

ALTER TABLE counterfoil.attempts OWNER TO counterfoil_owner;

COMMENT ON TABLE counterfoil.attempts IS 'One finished attempt. Append-only; partitioned by month.';

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
    id bigint NOT NULL,
    order_id text COLLATE pg_catalog."C",
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
    notification_id bigint,
    found_by text,
    CONSTRAINT discarded_jobs_say_why CHECK (((state <> 'discarded'::text) OR (reason IS NOT NULL))),
    CONSTRAINT follow_ups_name_a_transaction CHECK (((kind <> ALL (ARRAY['finish'::text, 'recheck'::text, 'search'::text])) OR (transaction_id IS NOT NULL))),
    CONSTRAINT hinted_transaction_id_has_1_to_64_characters CHECK (((length(transaction_id) >= 1) AND (length(transaction_id) <= 64))),
    CONSTRAINT job_kind_is_known CHECK ((kind = ANY (ARRAY['verify'::text, 'finish'::text, 'notification'::text, 'recheck'::text, 'search'::text]))),
    CONSTRAINT job_state_is_known CHECK ((state = ANY (ARRAY['available'::text, 'running'::text, 'discarded'::text]))),
    CONSTRAINT jobs_have_an_order_or_a_notification CHECK ((((kind = 'notification'::text) = (notification_id IS NOT NULL)) AND ((kind = 'notification'::text) = (order_id IS NULL)))),
    CONSTRAINT priority_is_0_to_3 CHECK (((priority >= 0) AND (priority <= 3))),
    CONSTRAINT proof_has_1_byte_to_4_mib CHECK (((octet_length(proof) >= 1) AND (octet_length(proof) <= 4194304))),
    CONSTRAINT proofs_are_of_jobs_that_verify CHECK (((kind = 'verify'::text) = (proof IS NOT NULL))),
    CONSTRAINT running_jobs_hold_a_lease CHECK ((((state = 'running'::text) = (lease_expires_at IS NOT NULL)) AND ((state = 'running'::text) = (worker_id IS NOT NULL)) AND ((state = 'running'::text) = (claimed_at IS NOT NULL))))
)
WITH (fillfactor='80', autovacuum_vacuum_scale_factor='0.01', autovacuum_vacuum_threshold='1000', autovacuum_vacuum_cost_delay='0', autovacuum_analyze_scale_factor='0.5', toast.autovacuum_vacuum_scale_factor='0.05', toast.autovacuum_vacuum_cost_delay='0');
ALTER TABLE ONLY counterfoil.jobs ALTER COLUMN order_id SET (n_distinct=-0.5);
ALTER TABLE ONLY counterfoil.jobs ALTER COLUMN proof SET STORAGE EXTERNAL;

ALTER TABLE counterfoil.jobs OWNER TO counterfoil_owner;

COMMENT ON TABLE counterfoil.jobs IS 'A pending verification: one proof for one order, or a follow-up of a grant. Gone once it ends; kept if it was discarded.';

CREATE VIEW counterfoil.payment_states AS
 SELECT p.transaction_id,
    p.bundle_id,
    p.environment,
    p.original_transaction_id,
    p.payment_key,
    p.web_order_line_item_id,
    p.product_id,
    p.product_kind,
    p.quantity,
    p.purchased_at,
    p.expires_at,
    p.app_account_token,
    p.account_id,
    p.shown_by,
    p.seen_at,
    p.reason,
    p.order_id,
    p.granted_at,
    p.job_id,
    COALESCE(p.order_id, h.order_id) AS paid_order_id,
    COALESCE(
        CASE
            WHEN (p.order_id IS NOT NULL) THEN p.account_id
            ELSE NULL::text
        END, h.account_id) AS paid_account_id,
    COALESCE(r.is_whole, false) AS is_refunded,
    COALESCE((NOT r.is_whole), false) AS is_partly_refunded,
    r.share AS refunded_share,
        CASE
            WHEN (p.order_id IS NOT NULL) THEN
            CASE
                WHEN r.is_whole THEN 'refunded'::text
                ELSE 'granted'::text
            END
            WHEN (h.order_id IS NOT NULL) THEN 'restored'::text
            WHEN r.is_whole THEN 'taken_back'::text
            WHEN (p.reason = 'renewal'::text) THEN 'renewal'::text
            ELSE 'unclaimed'::text
        END AS state,
    r.occurred_at AS refunded_at
   FROM ((counterfoil.payments p
     LEFT JOIN LATERAL ( SELECT n.order_id,
            n.account_id
           FROM ( SELECT g.order_id,
                    g.account_id
                   FROM counterfoil.payments g
                  WHERE ((g.payment_key = p.payment_key) AND (g.bundle_id = p.bundle_id) AND (g.environment = p.environment) AND (g.granted_at IS NOT NULL) AND ((g.payment_key ~~ 'web_order:%'::text) OR counterfoil.is_one_payment(p.bundle_id, p.environment, p.original_transaction_id, p.product_kind, p.web_order_line_item_id, p.purchased_at, g.product_kind, g.web_order_line_item_id, g.purchased_at)))
                UNION ALL
                 SELECT g.order_id,
                    g.account_id
                   FROM counterfoil.payments g
                  WHERE ((g.original_transaction_id = p.original_transaction_id) AND (g.bundle_id = p.bundle_id) AND (g.environment = p.environment) AND (g.original_transaction_id <> g.transaction_id) AND (g.transaction_id <> p.transaction_id) AND (g.granted_at IS NOT NULL) AND counterfoil.is_one_payment(p.bundle_id, p.environment, p.original_transaction_id, p.product_kind, p.web_order_line_item_id, p.purchased_at, g.product_kind, g.web_order_line_item_id, g.purchased_at))
                UNION ALL
                 SELECT g.order_id,
                    g.account_id
                   FROM counterfoil.payments g
                  WHERE ((p.transaction_id <> p.original_transaction_id) AND (g.transaction_id = p.original_transaction_id) AND (g.bundle_id = p.bundle_id) AND (g.environment = p.environment) AND (g.granted_at IS NOT NULL) AND counterfoil.is_one_payment(p.bundle_id, p.environment, p.original_transaction_id, p.product_kind, p.web_order_line_item_id, p.purchased_at, g.product_kind, g.web_order_line_item_id, g.purchased_at))
         OFFSET 0) n
          WHERE (p.order_id IS NULL)
         LIMIT 1) h ON (true))
     LEFT JOIN LATERAL ( SELECT t.share,
            t.is_whole,
            t.occurred_at
           FROM counterfoil.standing_revocations t
          WHERE ((t.original_transaction_id = p.original_transaction_id) AND (t.bundle_id = p.bundle_id) AND (t.environment = p.environment) AND ((t.transaction_id = p.transaction_id) OR counterfoil.is_one_payment(p.bundle_id, p.environment, p.original_transaction_id, p.product_kind, p.web_order_line_item_id, p.purchased_at, ( SELECT n.product_kind
                   FROM counterfoil.payments n
                  WHERE ((n.transaction_id = t.transaction_id) AND (n.bundle_id = p.bundle_id) AND (n.environment = p.environment))), t.web_order_line_item_id, t.purchased_at)))
          ORDER BY (t.share IS NULL), t.as_of DESC, t.share DESC
         LIMIT 1) r ON (true));

ALTER TABLE counterfoil.payment_states OWNER TO counterfoil_owner;

COMMENT ON VIEW counterfoil.payment_states IS 'Private: what became of each payment.';

CREATE VIEW counterfoil.order_status AS
 SELECT o.order_id,
    o.account_id,
    o.state,
        CASE
            WHEN (o.state = 'open'::text) THEN NULLIF(p.reason, ''::text)
            ELSE o.reason
        END AS reason,
        CASE
            WHEN ((o.state = 'rejected'::text) AND (o.reason = 'malformed_proof'::text) AND (p.reason IS NULL) AND counterfoil.uploads_are_unreadable(o.order_id, o.attempts, o.last_attempt_at)) THEN 'contact_support'::text
            WHEN y.is_granted THEN 'finish'::text
            WHEN (y.is_granted IS FALSE) THEN 'order_again'::text
            ELSE counterfoil.client_action(o.state, o.reason, p.reason)
        END AS client_action,
    COALESCE(o.transaction_id,
        CASE
            WHEN y.is_granted THEN y.transaction_id
            ELSE NULL::text
        END) AS transaction_id,
    o.environment,
    o.attempts,
    p.next_attempt_at,
    o.fulfilled_at,
    o.updated_at,
    COALESCE(trim_scale(((g.refunded_share)::numeric / 1000.0)), (
        CASE
            WHEN (o.state = 'refunded'::text) THEN 100
            ELSE NULL::integer
        END)::numeric) AS refunded_share,
    o.bundle_id,
    g.product_id,
    g.quantity,
    g.purchased_at,
    g.expires_at,
    g.refunded_at,
    o.version,
    p.job_id,
        CASE
            WHEN (y.is_granted IS FALSE) THEN y.product_id
            ELSE NULL::text
        END AS order_again_product_id,
        CASE
            WHEN (y.is_granted IS FALSE) THEN y.quantity
            ELSE NULL::integer
        END AS order_again_quantity,
        CASE
            WHEN (y.is_granted IS FALSE) THEN y.transaction_id
            ELSE NULL::text
        END AS order_again_transaction_id,
    o.app_account_token
   FROM (((counterfoil.orders o
     LEFT JOIN LATERAL ( SELECT
                CASE
                    WHEN bool_and((w.waits_for = 'purchase_not_in_receipt'::text)) THEN 'purchase_not_in_receipt'::text
                    ELSE COALESCE(max(w.waits_for) FILTER (WHERE (w.waits_for <> 'purchase_not_in_receipt'::text)), ''::text)
                END AS reason,
            min(w.run_at) AS next_attempt_at,
            max(w.id) AS job_id
           FROM ( SELECT j.id,
                    j.run_at,
                    COALESCE(
                        CASE
                            WHEN ((j.state = 'running'::text) OR (g_1.state = 'open'::text)) THEN j.reason
                            WHEN (g_1.closed_by = 'configuration'::text) THEN 'configuration'::text
                            WHEN (g_1.closed_by = 'operator'::text) THEN 'closed_by_operator'::text
                            WHEN (g_1.closed_by = 'budget'::text) THEN 'rate_limited'::text
                            ELSE 'app_store_unavailable'::text
                        END, ''::text) AS waits_for
                   FROM (counterfoil.jobs j
                     LEFT JOIN counterfoil.gates g_1 ON ((g_1.lane = j.lane)))
                  WHERE ((j.order_id = o.order_id) AND (j.state <> 'discarded'::text) AND (j.kind = 'verify'::text))) w
         HAVING (count(*) > 0)) p ON (true))
     LEFT JOIN LATERAL ( SELECT s.product_id,
            s.quantity,
            s.purchased_at,
            s.expires_at,
            s.refunded_share,
            s.refunded_at
           FROM counterfoil.payment_states s
          WHERE ((s.order_id = o.order_id) AND (o.state = ANY (ARRAY['fulfilled'::text, 'refunded'::text])))
         OFFSET 0) g ON (true))
     LEFT JOIN LATERAL ( SELECT f.transaction_id,
            f.product_id,
            f.quantity,
            f.is_granted
           FROM (( SELECT o.transaction_id AS id
                  WHERE (o.state = 'review'::text)
                UNION ALL
                 SELECT unnest(COALESCE(a.shown_transaction_ids, ARRAY[a.transaction_id])) AS unnest
                   FROM counterfoil.attempts a
                  WHERE ((o.state = 'cancelled'::text) AND (a.order_id = o.order_id))) w
             CROSS JOIN LATERAL ( SELECT p_1.transaction_id,
                    p_1.bundle_id,
                    p_1.environment,
                    p_1.original_transaction_id,
                    p_1.payment_key,
                    p_1.web_order_line_item_id,
                    p_1.additional_reason,
                    p_1.purchase_reason,
                    p_1.product_id,
                    p_1.product_kind,
                    p_1.quantity,
                    p_1.purchased_at,
                    p_1.expires_at,
                    p_1.app_account_token,
                    p_1.account_id,
                    p_1.shown_by,
                    p_1.seen_at,
                    p_1.reason,
                    p_1.order_id,
                    p_1.granted_at,
                    p_1.job_id,
                    p_1.price_milliunits,
                    p_1.currency,
                    p_1.customer_id,
                    (p_1.order_id IS NOT NULL) AS is_granted
                   FROM counterfoil.payments p_1
                  WHERE ((p_1.transaction_id = w.id) AND (p_1.bundle_id = o.bundle_id) AND (p_1.account_id = o.account_id) AND ((o.environment IS NULL) OR (p_1.environment = o.environment)) AND (p_1.order_id IS DISTINCT FROM o.order_id))
                 OFFSET 0) f)
          WHERE ((p.reason IS NULL) AND (f.is_granted OR (((o.state <> 'review'::text) OR ((f.product_id IS DISTINCT FROM o.product_id) OR (f.quantity IS DISTINCT FROM o.quantity))) AND counterfoil.can_be_ordered_again(f.transaction_id, f.bundle_id, f.environment))))
          ORDER BY f.is_granted, f.purchased_at
         LIMIT 1) y ON (true));

ALTER TABLE counterfoil.order_status OWNER TO counterfoil_owner;

COMMENT ON VIEW counterfoil.order_status IS 'Where an order is, why, and what the client should do next. Poll it by order_id.';

CREATE FUNCTION counterfoil.cancel_order(order_id text, why text) RETURNS SETOF counterfoil.order_status
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
#variable_conflict use_column
declare
    current_state text;
begin
    select o.state into current_state from counterfoil.orders o where o.order_id = cancel_order.order_id for no key update;
    if not found then
        raise exception 'this order is not known'
            using errcode = 'foreign_key_violation', schema = 'counterfoil', constraint = 'event_names_a_known_order';
    end if;
    if current_state in ('fulfilled', 'refunded') then
        raise exception 'a % order can not be cancelled', current_state
            using errcode = 'check_violation', schema = 'counterfoil', table = 'orders',
                constraint = 'paid_orders_are_not_cancelled';
    end if;
    if current_state <> 'cancelled' then
        insert into counterfoil.order_events (order_id, kind, who, why)
        values (cancel_order.order_id, 'cancelled', session_user, cancel_order.why);
        update counterfoil.orders o
        set state = 'cancelled', reason = 'order_cancelled', version = o.version + 1, updated_at = now()
        where o.order_id = cancel_order.order_id;
    end if;
    return query select * from counterfoil.order_status s where s.order_id = cancel_order.order_id;
end
$$;

ALTER FUNCTION counterfoil.cancel_order(order_id text, why text) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.cancel_order(order_id text, why text) IS 'Cancels an order that isn''t paid, for a reason; a payment that comes later is unclaimed. Safe to repeat.';

CREATE FUNCTION counterfoil.changes_from(since timestamp with time zone) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
declare
    -- A session may be held up between a time and its number, and clocks may be set back.
    slack constant interval := '1 minute';
    server constant text := counterfoil.open_feed();
    seen constant pg_snapshot := counterfoil.read_snapshot();
    first_id bigint;
    end_id bigint;
    middle record;
begin
    if changes_from.since is null then
        raise exception 'a time is needed' using errcode = 'null_value_not_allowed';
    end if;
    if changes_from.since >= clock_timestamp() then
        return concat(server, '/', seen, '//.');
    end if;
    select min(c.id), max(c.id) + 1 into first_id, end_id from counterfoil.changes c;
    while first_id < end_id loop
        select c.id, c.at into middle
        from counterfoil.changes c
        where c.id >= first_id + (end_id - first_id) / 2
        order by c.id
        limit 1;
        if middle.at >= changes_from.since - slack then
            end_id := first_id + (end_id - first_id) / 2;
        else
            first_id := middle.id + 1;
        end if;
    end loop;
    -- A snapshot that sees nothing, and pages that begin there.
    return concat(server, '/1:1:/', seen, '/', coalesce(first_id, 1) - 1, '.');
end
$$;

ALTER FUNCTION counterfoil.changes_from(since timestamp with time zone) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.changes_from(since timestamp with time zone) IS 'The feed: a cursor for changes_since that begins with the changes from a time on.';

CREATE FUNCTION counterfoil.changes_since(cursor text, at_most integer DEFAULT 1000) RETURNS TABLE(id bigint, at timestamp with time zone, kind text, order_id text, order_version integer, account_id text, bundle_id text, product_id text, quantity integer, environment text, transaction_id text, reason text, refunded_share numeric, next_cursor text, original_transaction_id text, product_kind text, purchased_at timestamp with time zone, expires_at timestamp with time zone, app_account_token uuid)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $_$
#variable_conflict use_column
declare
    most_at_once constant integer := 10000;
    -- The one of changes_from, which sees nothing.
    nothing constant text := '1:1:';
    server constant text := counterfoil.open_feed();
    part constant text[] := string_to_array(changes_since.cursor, '/');
    before pg_snapshot;
    seen pg_snapshot;
    last_id bigint;
begin
    if (changes_since.at_most between 1 and most_at_once) is not true then
        raise exception 'a page has 1 to % changes', most_at_once
            using errcode = 'invalid_parameter_value', schema = 'counterfoil', constraint = 'page_has_1_to_10000_changes';
    end if;
    if part[1] = server and changes_since.cursor ~ '^[^/]+/[0-9]+:[0-9]+:[0-9,]*/(/|[0-9]+:[0-9]+:[0-9,]*/[0-9]+)[.]$' then
        begin
            before := part[2];
            seen := nullif(part[3], '');
            last_id := nullif(rtrim(part[4], '.'), '');
        exception when data_exception then
            before := null;
        end;
    end if;
    -- A snapshot of the future is of a server that has lost what it saw.
    if before is null or pg_snapshot_xmax(coalesce(seen, before)) > pg_snapshot_xmax(pg_current_snapshot()) then
        perform counterfoil.refuse_cursor();
    end if;

    for try in 1..2 loop
        -- Before the changes are read: what they show is then at least as new.
        seen := coalesce(seen, counterfoil.read_snapshot());

        return query
        with page as materialized (
            select d.*, row_number() over (order by d.id) as place, count(*) over () as found
            from (
                select e.*
                from (
                    (
                        select c.*
                        from counterfoil.changes c
                        where last_id is not null and c.id > last_id
                            and pg_visible_in_snapshot(c.xid, seen) and not pg_visible_in_snapshot(c.xid, before)
                        order by c.id
                        limit changes_since.at_most + 1
                    )
                    -- Two look-ups: with "or" they would be a scan.
                    union all
                    select c.*
                    from counterfoil.changes c
                    where last_id is null and c.xid >= pg_snapshot_xmax(before) and c.xid < pg_snapshot_xmax(seen)
                        and pg_visible_in_snapshot(c.xid, seen)
                    union all
                    select c.*
                    from counterfoil.changes c
                    where last_id is null and c.xid = any (array(select pg_snapshot_xip(before)))
                        and pg_visible_in_snapshot(c.xid, seen)
                ) e
                order by e.id
                -- One more tells whether this page is the last.
                limit changes_since.at_most + 1
            ) d
        )
        select
            p.id, p.at, p.kind, coalesce(p.order_id, u.shown_by), p.order_version, coalesce(o.account_id, u.account_id),
            coalesce(p.bundle_id, o.bundle_id), coalesce(o.product_id, u.product_id),
            coalesce(g.quantity, o.quantity, u.quantity), coalesce(p.environment, g.environment),
            coalesce(p.transaction_id, g.transaction_id), p.reason,
            trim_scale(p.share / 1000.0),
            case
                when p.place = p.found then concat(server, '/', seen, '//.')
                else concat(server, '/', before, '/', seen, '/', p.id, '.')
            end,
            coalesce(g.original_transaction_id, u.original_transaction_id), coalesce(g.product_kind, u.product_kind),
            coalesce(g.purchased_at, u.purchased_at), coalesce(g.expires_at, u.expires_at),
            coalesce(g.app_account_token, u.app_account_token)
        from page p
        left join lateral (
            select x.account_id, x.bundle_id, x.product_id, x.quantity
            from counterfoil.orders x
            where x.order_id = p.order_id
            offset 0
        ) o on true
        left join lateral (
            select
                x.quantity, x.environment, x.transaction_id, x.original_transaction_id, x.product_kind, x.purchased_at,
                x.expires_at, x.app_account_token
            from counterfoil.payments x
            where x.order_id = p.order_id
            offset 0
        ) g on true
        left join lateral (
            select
                x.shown_by, x.account_id, x.product_id, x.quantity, x.original_transaction_id, x.product_kind, x.purchased_at,
                x.expires_at, x.app_account_token
            from counterfoil.payments x
            where p.order_id is null and x.transaction_id = p.transaction_id and x.bundle_id = p.bundle_id
                and x.environment = p.environment
            offset 0
        ) u on true
        where p.place <= changes_since.at_most
        order by p.place;

        exit when found or last_id is null;
        -- The pages of that read are over: the next read.
        before := seen;
        seen := null;
        last_id := null;
    end loop;

    -- After the changes were read, and their partitions locked: nobody drops one now. Who began anew is told what is left.
    if before::text <> nothing and pg_snapshot_xmin(before) <= (select f.dropped_xid from counterfoil.feed f) then
        perform counterfoil.refuse_cursor();
    end if;
    if current_setting('transaction_isolation') <> 'read committed' and exists (
        select from pg_inherits i where i.inhparent = 'counterfoil.changes'::regclass and pg_relation_size(i.inhrelid) is null
    ) then
        raise exception 'changes were dropped since this database transaction began' using errcode = 'serialization_failure';
    end if;
end
$_$;

ALTER FUNCTION counterfoil.changes_since(cursor text, at_most integer) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.changes_since(cursor text, at_most integer) IS 'The feed: the changes after a cursor, in order, each with the next cursor; the first cursor is of changes_from.';

CREATE FUNCTION counterfoil.drop_month_partition(of_table text, by_column text, horizon timestamp with time zone, note text) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO'
    SET lock_timeout TO '200ms'
    AS $_$
declare
    by_default constant text := of_table || '_default';
    old text;
    has_old boolean;
begin
    select min(c.relname) into old
    from pg_catalog.pg_inherits i
    join pg_catalog.pg_class c on c.oid = i.inhrelid
    where i.inhparent = format('counterfoil.%I', of_table)::regclass and c.relname ~ ('^' || of_table || '_[0-9]{4}_[0-9]{2}$')
        and (to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month') at time zone 'UTC' <= horizon;
    if old is null then
        execute format('select exists (select from counterfoil.%I d where d.%I < $1)', by_default, by_column)
            into has_old using horizon;
        if not has_old then
            return 0;
        end if;
    end if;
    -- Writers that are in progress, which come by the whole table, are over then: the note counts their rows.
    if old is not null then
        execute format('lock table only counterfoil.%I in access exclusive mode', of_table);
        execute format(note, old, horizon);
        execute format('drop table counterfoil.%I', old);
    else
        execute format('lock table counterfoil.%I in share row exclusive mode', by_default);
        execute format(note, by_default, horizon);
        execute format(
            'delete from counterfoil.%1$I where ctid in (select d.ctid from counterfoil.%1$I d where d.%2$I < $1 limit 1000)',
            by_default, by_column
        ) using horizon;
    end if;
    return 1;
exception when lock_not_available or undefined_table then
    -- Somebody uses it, or another worker was faster.
    return 0;
end
$_$;

ALTER FUNCTION counterfoil.drop_month_partition(of_table text, by_column text, horizon timestamp with time zone, note text) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.drop_month_partition(of_table text, by_column text, horizon timestamp with time zone, note text) IS 'Private: drops one partition of a table whose rows are all before the horizon, or a batch of such rows of the default partition, after a statement that notes them (%1$I is the partition, %2$L the horizon); returns 0 when nothing was dropped.';

CREATE FUNCTION counterfoil.drop_old_attempts(retention interval) RETURNS integer
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select counterfoil.drop_month_partition('attempts', 'finished_at', least(now() - retention, m.final_to), 'select')
    from counterfoil.roll_up_marks m
$$;

ALTER FUNCTION counterfoil.drop_old_attempts(retention interval) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.drop_old_attempts(retention interval) IS 'Drops one partition of attempts that is past its retention, or a batch of rows without one; returns 0 when nothing was.';

CREATE FUNCTION counterfoil.drop_old_changes(retention interval) RETURNS integer
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
    -- No retention is shorter than thirty days.
    select counterfoil.drop_month_partition(
        'changes', 'at', now() - greatest(retention, interval '30 days'),
        'update counterfoil.feed f set dropped_xid = greatest(
            f.dropped_xid, (select max(c.xid) from counterfoil.%1$I c where c.at < %2$L)
        )'
    )
$_$;

ALTER FUNCTION counterfoil.drop_old_changes(retention interval) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.drop_old_changes(retention interval) IS 'Drops one partition of changes that is past its retention, or a batch of rows without one; returns 0 when nothing was.';

CREATE FUNCTION counterfoil.feed_server() RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return concat_ws(
        '.', (select s.system_identifier from pg_control_system() s),
        (select d.oid from pg_database d where d.datname = current_database()), 'counterfoil.changes'::regclass::oid);
end
$$;

ALTER FUNCTION counterfoil.feed_server() OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.feed_server() IS 'Private: whose transaction numbers the changes bear.';

CREATE FUNCTION counterfoil.filtered_publications() RETURNS TABLE(publication name, table_name name, why text)
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select p.pubname, c.relname, case when r.prqual is not null then 'rows' else 'columns' end
    from pg_publication_rel r
    join pg_publication p on p.oid = r.prpubid
    join pg_class c on c.oid = r.prrelid
    left join pg_index i
        on i.indrelid = c.oid and case c.relreplident when 'd' then i.indisprimary when 'i' then i.indisreplident else false end
    where c.relnamespace = to_regnamespace('counterfoil') and (p.pubupdate or p.pubdelete) and c.relreplident <> 'f'
        and case
            when r.prattrs is not null then not coalesce(i.indkey::smallint[], '{}') <@ r.prattrs::smallint[]
            -- The columns that a filter reads are what its entry depends on.
            when r.prqual is not null then exists (
                select from pg_depend d
                where d.classid = 'pg_publication_rel'::regclass and d.objid = r.oid and d.refobjid = c.oid and d.refobjsubid > 0
                    and d.refobjsubid <> all (coalesce(i.indkey::smallint[], '{}'))
            )
            else false
        end
$$;

ALTER FUNCTION counterfoil.filtered_publications() OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.filtered_publications() IS 'Publications by whose filter the server refuses updates of a table of this schema.';

CREATE FUNCTION counterfoil.import_grants(bundle_id text, environment text, entries jsonb) RETURNS TABLE(order_id text, transaction_id text, outcome text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET jit TO 'off'
    AS $$
#variable_conflict use_column
declare
    -- A few seconds.
    most_entries constant integer := 10000;
    one record;
begin
    -- What it waits for it must see.
    if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'an import needs the isolation level read committed'
            using errcode = 'invalid_transaction_state';
    end if;
    if jsonb_array_length(import_grants.entries) > most_entries then
        raise exception '% entries are too many for one import', jsonb_array_length(import_grants.entries)
            using errcode = 'program_limit_exceeded',
                hint = format(
                    'Import at most %s at a time, each call in a database transaction of its own.', most_entries);
    end if;
    insert into counterfoil.imports values (pg_current_xact_id());

    for try in 1..3 loop
        begin
            create temporary table imported_entries on commit drop as
            select
                row_number() over () as place, e.order_id, e.account_id, e.product_id, e.product_kind, e.transaction_id,
                e.app_account_token, e.quantity, coalesce(p.quantity, e.quantity, 1) as paid_quantity,
                coalesce(p.original_transaction_id, e.original_transaction_id, e.transaction_id) as original_id,
                case when p.additional_reason is null then coalesce(p.web_order_line_item_id, e.web_order_line_item_id) end
                    as web_order_line_item_id,
                coalesce(p.purchased_at, e.purchased_at) as purchased_at, e.expires_at, null::text as payment_key,
                p.transaction_id is not null as is_seen, p.product_id as seen_product_id, false as is_ordered,
                null::text as outcome
            from jsonb_to_recordset(import_grants.entries) as e (
                order_id text, account_id text, product_id text, product_kind text, transaction_id text,
                original_transaction_id text, web_order_line_item_id text, quantity integer, purchased_at timestamptz,
                expires_at timestamptz, app_account_token uuid
            )
            left join lateral (
                select p.*
                from counterfoil.payments p
                where p.transaction_id = e.transaction_id and p.bundle_id = import_grants.bundle_id
                    and p.environment = import_grants.environment
                offset 0
            ) p on true;
            update pg_temp.imported_entries e
            set payment_key = case
                    when e.product_kind in ('non_consumable', 'non_renewing') then 'original:' || e.original_id
                    when e.product_kind = 'auto_renewable' then 'web_order:' || e.web_order_line_item_id
                end;
            create index on pg_temp.imported_entries (original_id);
            create index on pg_temp.imported_entries (order_id);
            create index on pg_temp.imported_entries (transaction_id);
            create index on pg_temp.imported_entries (payment_key);
            create index on pg_temp.imported_entries (place);
            analyze pg_temp.imported_entries;

            -- The settlement's sequence of locks: orders, originals, payments.
            perform from counterfoil.orders o
            where o.order_id = any (array(select e.order_id from pg_temp.imported_entries e))
            order by o.order_id
            for no key update;
            insert into counterfoil.originals (original_transaction_id, bundle_id, environment)
            select distinct e.original_id collate "C", import_grants.bundle_id, import_grants.environment
            from pg_temp.imported_entries e
            order by 1
            on conflict on constraint one_lock_an_original do update set environment = excluded.environment where false;
            perform from counterfoil.payments p
            where p.transaction_id = any (array(select e.transaction_id from pg_temp.imported_entries e))
                and p.bundle_id = import_grants.bundle_id and p.environment = import_grants.environment
            order by p.transaction_id
            for no key update;

            -- What the ledger holds against each.
            update pg_temp.imported_entries e
            set outcome = j.outcome, is_ordered = j.is_ordered
            from (
                select
                    e.place, o.order_id is not null as is_ordered,
                    case
                        when h.order_id = e.order_id then 'known'
                        when h.order_id is not null then 'another_order_was_granted'
                        when (select true from counterfoil.payments g where g.order_id = e.order_id)
                            then 'another_payment_was_granted'
                        when (o.bundle_id, o.product_id, o.account_id) <> (import_grants.bundle_id, e.product_id, e.account_id)
                            or o.quantity > e.paid_quantity
                            then 'another_order'
                        when o.state not in ('open', 'rejected', 'review') then 'order_is_over'
                        when e.seen_product_id <> e.product_id then 'another_product'
                    end as outcome
                from pg_temp.imported_entries e
                left join lateral (select o.* from counterfoil.orders o where o.order_id = e.order_id offset 0) o on true
                left join lateral (
                    select n.order_id
                    from counterfoil.names_of_payment(
                        import_grants.bundle_id, import_grants.environment, e.transaction_id, e.original_id,
                        e.web_order_line_item_id, e.payment_key, e.product_kind, e.purchased_at
                    ) n
                    where n.order_id is not null
                    limit 1
                ) h on true
            ) j
            where e.place = j.place;

            -- Of several entries for one payment, or for one order, the first that nothing else stands against.
            for one in
                select e.*
                from (
                    select
                        e.*, row_number() over (partition by e.order_id order by e.place) > 1
                        or row_number() over (partition by e.transaction_id order by e.place) > 1
                        or row_number() over (partition by e.original_id order by e.place) > 1
                        or e.payment_key is not null and row_number() over (partition by e.payment_key order by e.place) > 1
                            as may_repeat
                    from pg_temp.imported_entries e
                    where e.outcome is null
                ) e
                where e.may_repeat
                order by e.place
            loop
                update pg_temp.imported_entries e
                set outcome = (
                    select
                        case
                            when not b.is_payment then 'another_payment_was_granted'
                            when b.order_id = one.order_id then 'known'
                            else 'another_order_was_granted'
                        end
                    from (
                        select
                            b.order_id, b.outcome, b.place,
                            (
                                b.transaction_id = one.transaction_id
                                or b.payment_key = one.payment_key and b.payment_key like 'web\_order:%'
                                or b.original_id = one.original_id
                                and counterfoil.is_one_payment(
                                    import_grants.bundle_id, import_grants.environment, one.original_id, one.product_kind,
                                    one.web_order_line_item_id, one.purchased_at, b.product_kind, b.web_order_line_item_id,
                                    b.purchased_at)
                            ) is true as is_payment
                        from (
                            (select * from pg_temp.imported_entries b where b.order_id = one.order_id offset 0)
                            union
                            (select * from pg_temp.imported_entries b where b.transaction_id = one.transaction_id offset 0)
                            union
                            (select * from pg_temp.imported_entries b where b.original_id = one.original_id offset 0)
                            union
                            (select * from pg_temp.imported_entries b where b.payment_key = one.payment_key offset 0)
                        ) b
                        where b.place < one.place and b.outcome is null
                    ) b
                    where b.is_payment or b.order_id = one.order_id
                    order by b.is_payment desc
                    limit 1
                )
                where e.place = one.place;
            end loop;
            -- Bought again after a refund: a payment of its own, under its id.
            update pg_temp.imported_entries e
            set payment_key = null
            from (
                select e.place, row_number() over (partition by e.payment_key order by e.place) > 1 as is_repeated
                from pg_temp.imported_entries e
                where e.outcome is null and e.payment_key like 'original:%'
            ) k
            where k.place = e.place
                and (
                    k.is_repeated
                    or (
                        select true
                        from counterfoil.payments p
                        where p.payment_key = e.payment_key and p.bundle_id = import_grants.bundle_id
                            and p.environment = import_grants.environment and p.granted_at is not null
                    )
                );

            insert into counterfoil.orders (
                order_id, bundle_id, product_id, account_id, quantity, app_account_token, recovery, state, transaction_id,
                environment, fulfilled_at
            )
            select
                e.order_id, import_grants.bundle_id, e.product_id, e.account_id, coalesce(e.quantity, 1), e.app_account_token, true,
                'fulfilled', e.transaction_id, import_grants.environment, e.purchased_at
            from pg_temp.imported_entries e
            where e.outcome is null and not e.is_ordered
            order by e.order_id;
            update counterfoil.orders o
            set state = 'fulfilled', reason = null, transaction_id = e.transaction_id, environment = import_grants.environment,
                fulfilled_at = e.purchased_at, updated_at = now()
            from pg_temp.imported_entries e
            where e.outcome is null and e.is_ordered and o.order_id = any (array[e.order_id]);
            update counterfoil.payments p
            set order_id = e.order_id, granted_at = now(), reason = null, product_kind = e.product_kind,
                payment_key = e.payment_key, account_id = e.account_id, shown_by = coalesce(p.shown_by, e.order_id)
            from pg_temp.imported_entries e
            where e.outcome is null and e.is_seen and p.transaction_id = any (array[e.transaction_id])
                and p.bundle_id = import_grants.bundle_id and p.environment = import_grants.environment;
            insert into counterfoil.payments (
                order_id, granted_at, shown_by, bundle_id, environment, payment_key, transaction_id, original_transaction_id,
                web_order_line_item_id, product_id, product_kind, quantity, purchased_at, expires_at, app_account_token, account_id
            )
            select
                e.order_id, now(), e.order_id, import_grants.bundle_id, import_grants.environment, e.payment_key, e.transaction_id,
                e.original_id, e.web_order_line_item_id, e.product_id, e.product_kind, e.paid_quantity, e.purchased_at,
                e.expires_at, e.app_account_token, e.account_id
            from pg_temp.imported_entries e
            where e.outcome is null and not e.is_seen
            order by e.transaction_id;
            insert into counterfoil.order_events (order_id, kind, who, why)
            select e.order_id, 'imported', session_user, 'granted before by another system'
            from pg_temp.imported_entries e
            where e.outcome is null
            order by e.place;
            exit;
        exception when unique_violation then
            -- Somebody else made such an order or payment meanwhile: the next snapshot has it.
            if try = 3 then
                raise;
            end if;
        end;
    end loop;

    -- What settle_payments does: a new order, and its grant, are in this snapshot.
    update counterfoil.orders o
    set state = 'refunded', reason = 'refunded', updated_at = now()
    where o.state = 'fulfilled' and o.order_id = any (array(
        select e.order_id
        from pg_temp.imported_entries e
        cross join lateral (select s.state from counterfoil.payment_states s where s.order_id = e.order_id offset 0) s
        where e.outcome is null and s.state = 'refunded'
    ));

    return query
    select e.order_id, e.transaction_id, coalesce(e.outcome, 'imported') from pg_temp.imported_entries e order by e.place;
    drop table pg_temp.imported_entries;
    delete from counterfoil.imports i where i.database_transaction = pg_current_xact_id();
end
$$;

ALTER FUNCTION counterfoil.import_grants(bundle_id text, environment text, entries jsonb) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.import_grants(bundle_id text, environment text, entries jsonb) IS 'Loads what was granted before, with its orders. Safe to repeat; returns what became of each entry.';

CREATE FUNCTION counterfoil.index_sizes() RETURNS TABLE(table_name name, index_name name, bytes bigint, packed_bytes bigint)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    with widths as materialized (
        select s.tablename, s.attname, s.avg_width
        from pg_catalog.pg_stats s
        where s.schemaname = 'counterfoil' and not s.inherited
    )
    select
        t.relname, i.relname, pg_relation_size(i.oid),
        8192 * (2 + ceil(greatest(i.reltuples, 0) * (16 + w.width) / (8192 * 0.9)))::bigint
    from pg_catalog.pg_index x
    join pg_catalog.pg_class i on i.oid = x.indexrelid
    join pg_catalog.pg_class t on t.oid = x.indrelid
    join pg_catalog.pg_am m on m.oid = i.relam
    cross join lateral (
        select coalesce(sum((coalesce(s.avg_width, 8) + 7) / 8 * 8), 8) as width
        from unnest(x.indkey::smallint[]) as k (attnum)
        join pg_catalog.pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum
        left join widths s on s.tablename = t.relname and s.attname = a.attname
    ) w
    where t.relnamespace = 'counterfoil'::regnamespace and i.relkind = 'i' and m.amname = 'btree'
$$;

ALTER FUNCTION counterfoil.index_sizes() OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.index_sizes() IS 'Each btree index of the schema with its size and an estimate of its size without bloat, in bytes.';

CREATE FUNCTION counterfoil.keep_payment() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if old.order_id is not null
        or (
            new.transaction_id, new.bundle_id, new.environment, new.original_transaction_id, new.product_id, new.seen_at
        ) is distinct from (
            old.transaction_id, old.bundle_id, old.environment, old.original_transaction_id, old.product_id, old.seen_at
        )
        or old.additional_reason is not null and new.additional_reason is distinct from old.additional_reason
        or new.order_id is null and new.web_order_line_item_id is distinct from old.web_order_line_item_id
        and (new.web_order_line_item_id is not null or new.additional_reason is null)
        or new.order_id is null
        and (
            new.quantity, new.purchased_at, new.expires_at, new.app_account_token, new.price_milliunits, new.currency,
            new.purchase_reason
        ) is distinct from (
            old.quantity, old.purchased_at, old.expires_at, coalesce(old.app_account_token, new.app_account_token),
            coalesce(old.price_milliunits, new.price_milliunits), coalesce(old.currency, new.currency),
            coalesce(old.purchase_reason, new.purchase_reason)
        )
    then
        raise exception 'a payment is granted once, and its facts never change'
            using errcode = 'restrict_violation', schema = 'counterfoil', table = 'payments',
                constraint = 'the_ledger_is_append_only';
    end if;
    return new;
end
$$;

ALTER FUNCTION counterfoil.keep_payment() OWNER TO counterfoil_owner;

CREATE FUNCTION counterfoil.latency_bounds() RETURNS double precision[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
 SELECT ARRAY[(0.01)::double precision, (0.02)::double precision, (0.05)::double precision, (0.1)::double precision, (0.2)::double precision, (0.5)::double precision, (1)::double precision, (2)::double precision, (5)::double precision, (10)::double precision, (20)::double precision, (50)::double precision, (100)::double precision, (200)::double precision, (500)::double precision, (1000)::double precision, (2000)::double precision, (5000)::double precision, (10000)::double precision, (20000)::double precision, (50000)::double precision, (100000)::double precision, (200000)::double precision, (500000)::double precision, (1000000)::double precision] AS "array";
END;

ALTER FUNCTION counterfoil.latency_bounds() OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.latency_bounds() IS 'Seconds; bucket n of a latency roll-up lies between bound n and bound n + 1.';

CREATE FUNCTION counterfoil.latency_percentile(percent integer, buckets smallint[], reached bigint[]) RETURNS double precision
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    BEGIN ATOMIC
 SELECT (counterfoil.latency_bounds())[(1 + (buckets)[(1 + width_bucket((((((reached)[cardinality(reached)] * percent) + 99) / 100) - 1), reached))])] AS latency_bounds;
END;

ALTER FUNCTION counterfoil.latency_percentile(percent integer, buckets smallint[], reached bigint[]) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.latency_percentile(percent integer, buckets smallint[], reached bigint[]) IS 'Private: a percentile of a histogram, in seconds.';

CREATE FUNCTION counterfoil.make_attempt_partitions() RETURNS integer
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select counterfoil.make_month_partitions('attempts', 'finished_at')
$$;

ALTER FUNCTION counterfoil.make_attempt_partitions() OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.make_attempt_partitions() IS 'Makes the partitions of attempts for this month and the next two, and for those of the default partition, where nobody is in the way; returns how many it made.';

CREATE FUNCTION counterfoil.make_change_partitions() RETURNS integer
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select counterfoil.make_month_partitions('changes', 'at')
$$;

ALTER FUNCTION counterfoil.make_change_partitions() OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.make_change_partitions() IS 'Makes the partitions of changes for this month and the next two, and for those of the default partition, where nobody is in the way; returns how many it made.';

CREATE FUNCTION counterfoil.make_gates() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    insert into counterfoil.gates (bundle_id, route, environment)
    values
        (new.bundle_id, 'local', null),
        (new.bundle_id, 'verify_receipt', 'production'),
        (new.bundle_id, 'verify_receipt', 'sandbox'),
        (new.bundle_id, 'server_api', 'production'),
        (new.bundle_id, 'server_api', 'sandbox'),
        (new.bundle_id, 'finish_transaction', 'production'),
        (new.bundle_id, 'finish_transaction', 'sandbox')
    on conflict do nothing;

    insert into counterfoil.budgets (bundle_id, endpoint, environment, calls_per_second)
    values
        (new.bundle_id, 'get_transaction_info', 'production', 50),
        (new.bundle_id, 'get_transaction_info', 'sandbox', 5),
        (new.bundle_id, 'get_transaction_info_of_bare_id', 'production', 10),
        (new.bundle_id, 'get_transaction_info_of_bare_id', 'sandbox', 1),
        (new.bundle_id, 'finish_transaction', 'production', 50),
        (new.bundle_id, 'finish_transaction', 'sandbox', 5),
        (new.bundle_id, 'get_notification_history', 'production', 50),
        (new.bundle_id, 'get_notification_history', 'sandbox', 5)
    on conflict do nothing;

    insert into counterfoil.catch_ups (bundle_id, environment)
    values (new.bundle_id, 'production'), (new.bundle_id, 'sandbox')
    on conflict do nothing;

    insert into counterfoil.searches (bundle_id) values (new.bundle_id) on conflict do nothing;
    return null;
end
$$;

ALTER FUNCTION counterfoil.make_gates() OWNER TO counterfoil_owner;

CREATE FUNCTION counterfoil.make_month_partitions(of_table text, by_column text) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET "DateStyle" TO 'ISO'
    SET lock_timeout TO '200ms'
    AS $_$
declare
    month timestamp;
    months timestamp[];
    made integer := 0;
    partition text;
begin
    begin
        -- Two at once: the second waits here, then finds it made. Whoever reads the default partition couldn't have it alone beside
        -- others who do. It is the lock that attaching a partition takes: who only reads or writes rows can't hold it, nor waits.
        execute format('lock table only counterfoil.%I in share update exclusive mode', of_table);
        execute format(
            'select array(
                select generate_series(
                    date_trunc(''month'', now() at time zone ''UTC''),
                    date_trunc(''month'', now() at time zone ''UTC'') + interval ''2 months'',
                    interval ''1 month''
                )
                union
                -- Months that were over before anybody came by.
                select date_trunc(''month'', d.%I at time zone ''UTC'') from counterfoil.%I d
            )', by_column, of_table || '_default') into months;
    exception when lock_not_available then
        return 0;
    end;
    foreach month in array months loop
        partition := of_table || '_' || to_char(month, 'YYYY_MM');
        -- In the catalogue itself: what to_regclass remembers is not renewed by this kind of lock.
        continue when exists (
            select from pg_catalog.pg_class c
            where c.relname = partition and c.relnamespace = 'counterfoil'::regnamespace
        );
        begin
            -- Whoever inserts finds its partition before it waits for it: a row on its way to the default partition would be refused
            -- once it belongs elsewhere. No row is later than now.
            if month <= now() at time zone 'UTC' then
                execute format('lock table only counterfoil.%I in share row exclusive mode', of_table);
            end if;
            -- Rows that the default partition took meanwhile move over; none may come while they do.
            execute format('lock table counterfoil.%I in access exclusive mode', of_table || '_default');
            execute format('create table counterfoil.%I (like counterfoil.%I including all)', partition, of_table);
            execute format(
                'with moved as (delete from counterfoil.%1$I where %2$I >= %3$L and %2$I < %4$L returning *)
                 insert into counterfoil.%5$I select * from moved',
                of_table || '_default', by_column, month at time zone 'UTC', (month + interval '1 month') at time zone 'UTC', partition
            );
            execute format(
                'alter table counterfoil.%I attach partition counterfoil.%I for values from (%L) to (%L)',
                of_table, partition, month at time zone 'UTC', (month + interval '1 month') at time zone 'UTC'
            );
        exception when lock_not_available then
            return made;
        end;
        made := made + 1;
    end loop;
    return made;
end
$_$;

ALTER FUNCTION counterfoil.make_month_partitions(of_table text, by_column text) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.make_month_partitions(of_table text, by_column text) IS 'Private: makes the partitions of a table for this month and the next two, and for those of the default partition, where nobody is in the way; returns how many it made.';

CREATE FUNCTION counterfoil.make_role_settings() RETURNS TABLE(refused text)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    wanted record;
    refusals text[] = '{}';
begin
    for wanted in
        select s.role, s.setting, string_agg(quote_literal(v.value), ', ' order by v.position) as value
        from counterfoil.role_settings s
        -- A list must not become one name.
        cross join unnest(string_to_array(s.value, ', ')) with ordinality as v (value, position)
        where s.found is distinct from s.value
        group by s.role, s.setting
        order by s.role, s.setting
    loop
        continue when wanted.role = any (refusals);
        begin
            execute format(
                'alter role %I in database %I set %I = %s', wanted.role, current_database(), wanted.setting, wanted.value);
        exception when insufficient_privilege or undefined_object then
            refusals = refusals || wanted.role;
        end;
    end loop;
    return query select unnest(refusals);
end
$$;

ALTER FUNCTION counterfoil.make_role_settings() OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.make_role_settings() IS 'Private: makes the settings of our roles in this database that are missing or differ.';

CREATE FUNCTION counterfoil.make_trigger(of_table text, name text, definition text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    if not exists (
        select from pg_trigger t
        where t.tgrelid = make_trigger.of_table::regclass and t.tgname = make_trigger.name and t.tgenabled = 'O'
            and obj_description(t.oid, 'pg_trigger') = make_trigger.definition
    ) then
        execute format('create or replace trigger %I %s', name, definition);
        execute format('comment on trigger %I on %s is %L', name, of_table, definition);
    end if;
end
$$;

ALTER FUNCTION counterfoil.make_trigger(of_table text, name text, definition text) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.make_trigger(of_table text, name text, definition text) IS 'Private: makes a trigger, unless it stands.';

CREATE FUNCTION counterfoil.open_feed() RETURNS text
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    server text;
begin
    if pg_is_in_recovery() then
        raise exception 'changes are read from the primary'
            using errcode = 'read_only_sql_transaction', schema = 'counterfoil',
                constraint = 'changes_are_read_from_the_primary';
    end if;
    server := counterfoil.feed_server();
    if server is distinct from (select f.server from counterfoil.feed f) then
        raise exception 'the changes are of another server: this database was restored or copied'
            using errcode = 'object_not_in_prerequisite_state', hint = 'Run counterfoil migrate.', schema = 'counterfoil',
                constraint = 'restored_changes_need_a_migration';
    end if;
    return concat(server, '.', substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8));
end
$$;

ALTER FUNCTION counterfoil.open_feed() OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.open_feed() IS 'Private: the server and the timeline, as a cursor names them.';

CREATE FUNCTION counterfoil.open_orders(account_id text, product_id text) RETURNS SETOF counterfoil.order_status
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select s.*
    from counterfoil.orders o
    join counterfoil.order_status s on s.order_id = o.order_id
    where o.account_id = open_orders.account_id and o.product_id = open_orders.product_id
        and o.state in ('open', 'rejected', 'review')
    order by o.created_at, o.order_id
$$;

ALTER FUNCTION counterfoil.open_orders(account_id text, product_id text) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.open_orders(account_id text, product_id text) IS 'Every order of an account and product that can still be paid, oldest first, with what the client should do.';

CREATE FUNCTION counterfoil.open_orders_between(of_bundle text, after timestamp with time zone, until timestamp with time zone) RETURNS TABLE(order_id text, account_id text)
    LANGUAGE plpgsql STABLE ROWS 100
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_bitmapscan TO 'on'
    SET max_parallel_workers_per_gather TO '0'
    SET enable_indexscan TO 'off'
    SET enable_indexonlyscan TO 'off'
    SET enable_seqscan TO 'off'
    AS $$
#variable_conflict use_column
begin
    return query
    select o.order_id, o.account_id
    from counterfoil.orders o
    where o.created_at > open_orders_between.after and o.created_at <= open_orders_between.until
        and o.bundle_id = open_orders_between.of_bundle and o.state = 'open';
end
$$;

ALTER FUNCTION counterfoil.open_orders_between(of_bundle text, after timestamp with time zone, until timestamp with time zone) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.open_orders_between(of_bundle text, after timestamp with time zone, until timestamp with time zone) IS 'Private: the open orders of an app that were made in some time.';

CREATE TABLE counterfoil.apps (
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    apple_app_id bigint,
    sandbox_policy text DEFAULT 'listed'::text NOT NULL,
    sandbox_open_until timestamp with time zone,
    absent_token_policy text DEFAULT 'accept'::text NOT NULL,
    purchase_time_tolerance interval DEFAULT '00:10:00'::interval NOT NULL,
    own_order_window interval DEFAULT '01:00:00'::interval NOT NULL,
    ledger_starts_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    receipt_route text DEFAULT 'verify_receipt'::text NOT NULL,
    confirm_after interval,
    finish_transactions boolean DEFAULT false NOT NULL,
    recheck_ages interval[] DEFAULT '{}'::interval[] NOT NULL,
    searches_orders boolean DEFAULT true NOT NULL,
    CONSTRAINT absent_token_policy_is_known CHECK ((absent_token_policy = ANY (ARRAY['accept'::text, 'review'::text]))),
    CONSTRAINT bundle_id_has_1_to_155_characters CHECK (((length(bundle_id) >= 1) AND (length(bundle_id) <= 155))),
    CONSTRAINT confirm_after_is_not_negative CHECK ((confirm_after >= '00:00:00'::interval)),
    CONSTRAINT grants_are_rechecked_at_most_ten_times CHECK (((cardinality(recheck_ages) <= 10) AND ('01:00:00'::interval <= ALL (recheck_ages)))),
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

CREATE TABLE counterfoil.sandbox_accounts (
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE counterfoil.sandbox_accounts OWNER TO counterfoil_owner;

COMMENT ON TABLE counterfoil.sandbox_accounts IS 'An account whose sandbox purchases count under the policy ''listed''.';

CREATE VIEW counterfoil.order_facts AS
 SELECT o.order_id,
    o.bundle_id,
    o.product_id,
    o.account_id,
    o.quantity,
    o.app_account_token,
    o.recovery,
    o.created_at AS ordered_at,
    o.state AS order_state,
    o.transaction_id AS order_transaction_id,
    o.last_attempt_at,
    p.kind AS product_kind,
    (COALESCE((a.sandbox_open_until > now()), false) OR
        CASE a.sandbox_policy
            WHEN 'allow'::text THEN true
            WHEN 'listed'::text THEN (EXISTS ( SELECT
               FROM counterfoil.sandbox_accounts s
              WHERE ((s.bundle_id = o.bundle_id) AND (s.account_id = o.account_id))))
            ELSE false
        END) AS allows_sandbox,
    a.absent_token_policy,
    (EXTRACT(epoch FROM a.purchase_time_tolerance))::double precision AS purchase_time_tolerance,
    a.ledger_starts_at,
    a.receipt_route,
    (EXTRACT(epoch FROM a.confirm_after))::double precision AS confirm_after,
    a.finish_transactions,
    (cardinality(a.recheck_ages) > 0) AS rechecks_grants
   FROM ((counterfoil.orders o
     JOIN counterfoil.apps a ON ((a.bundle_id = o.bundle_id)))
     LEFT JOIN counterfoil.products p ON (((p.bundle_id = o.bundle_id) AND (p.product_id = o.product_id))));

ALTER TABLE counterfoil.order_facts OWNER TO counterfoil_owner;

COMMENT ON VIEW counterfoil.order_facts IS 'Private: what an attempt must know of its order.';

CREATE FUNCTION counterfoil.order_of_payment(of_id text, of_bundle text, of_environment text) RETURNS TABLE(order_id text, why text, waits_until timestamp with time zone)
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT w.order_id,
     w.why,
     NULLIF(GREATEST(w.waits_until, now()), now()) AS "nullif"
    FROM (((((( SELECT p_1.transaction_id,
             p_1.bundle_id,
             p_1.environment,
             p_1.original_transaction_id,
             p_1.payment_key,
             p_1.web_order_line_item_id,
             p_1.additional_reason,
             p_1.purchase_reason,
             p_1.product_id,
             p_1.product_kind,
             p_1.quantity,
             p_1.purchased_at,
             p_1.expires_at,
             p_1.app_account_token,
             p_1.account_id,
             p_1.shown_by,
             p_1.seen_at,
             p_1.reason,
             p_1.order_id,
             p_1.granted_at,
             p_1.job_id,
             p_1.price_milliunits,
             p_1.currency,
             p_1.customer_id
            FROM counterfoil.payments p_1
           WHERE ((p_1.transaction_id = order_of_payment.of_id) AND (p_1.bundle_id = order_of_payment.of_bundle) AND (p_1.environment = order_of_payment.of_environment))
          OFFSET 0) p
      JOIN counterfoil.apps a ON ((a.bundle_id = p.bundle_id)))
      CROSS JOIN LATERAL ( SELECT
                 CASE
                     WHEN (p.app_account_token IS NOT NULL) THEN ( SELECT t.account_id
                        FROM counterfoil.account_of_token(order_of_payment.of_bundle, p.app_account_token) t(account_id))
                     ELSE ( SELECT min(k.account_id) AS min
                        FROM counterfoil.accounts_of_customer(order_of_payment.of_bundle, order_of_payment.of_environment, order_of_payment.of_id, p.original_transaction_id) k(account_id)
                      HAVING (count(*) = 1))
                 END AS account_id
          OFFSET 0) c)
      CROSS JOIN LATERAL (( SELECT o.order_id,
             'its token names the order'::text AS why,
             '-infinity'::timestamp with time zone AS waits_until,
             1 AS rank,
             o.created_at
            FROM counterfoil.orders o
           WHERE ((o.app_account_token = p.app_account_token) AND (o.bundle_id = order_of_payment.of_bundle) AND (o.account_id = c.account_id) AND (o.product_id = p.product_id) AND (o.quantity <= p.quantity) AND (o.state = ANY (ARRAY['open'::text, 'rejected'::text, 'review'::text])) AND (o.recovery OR (o.created_at <= (p.purchased_at + a.purchase_time_tolerance))))
           ORDER BY o.created_at DESC, o.order_id
          LIMIT 1)
         UNION ALL
         ( SELECT o.order_id,
             'its token names the account'::text,
             '-infinity'::timestamp with time zone,
             2,
             o.created_at
            FROM counterfoil.orders o
           WHERE ((p.app_account_token IS NOT NULL) AND (o.account_id = c.account_id) AND (o.product_id = p.product_id) AND (o.bundle_id = order_of_payment.of_bundle) AND (o.quantity <= p.quantity) AND (o.state = 'open'::text) AND (o.created_at <= p.purchased_at))
           ORDER BY o.created_at DESC, o.order_id
          LIMIT 1)
         UNION ALL
          SELECT min(o.order_id) AS min,
             'its customer has one account, and one order fits'::text,
             (p.purchased_at + '01:00:00'::interval),
             3,
             min(o.created_at) AS min
            FROM ( SELECT o_1.order_id,
                     o_1.created_at
                    FROM counterfoil.orders o_1
                   WHERE ((p.app_account_token IS NULL) AND (o_1.account_id = c.account_id) AND (o_1.product_id = p.product_id) AND (o_1.bundle_id = order_of_payment.of_bundle) AND (o_1.quantity <= p.quantity) AND (o_1.state = 'open'::text) AND (o_1.app_account_token IS NULL) AND (o_1.created_at <= p.purchased_at))
                  LIMIT 2) o
          HAVING ((count(*) = 1) AND (min(o.created_at) >= (p.purchased_at - a.own_order_window)))
   ORDER BY 4
  LIMIT 1) w)
      JOIN counterfoil.order_facts f ON ((f.order_id = ANY (ARRAY[w.order_id]))))
      CROSS JOIN LATERAL ( SELECT s_1.state
            FROM counterfoil.payment_states s_1
           WHERE ((w.order_id IS NOT NULL) AND (s_1.transaction_id = order_of_payment.of_id) AND (s_1.bundle_id = order_of_payment.of_bundle) AND (s_1.environment = order_of_payment.of_environment))
          OFFSET 0) s)
   WHERE ((((p.reason = 'no_order'::text) AND (s.state = 'unclaimed'::text)) OR ((w.rank = 1) AND (s.state = 'renewal'::text))) AND ((order_of_payment.of_environment = 'production'::text) OR f.allows_sandbox) AND (( SELECT true
            FROM counterfoil.payments g
           WHERE (g.order_id = ANY (ARRAY[w.order_id]))) IS NULL))
  OFFSET 0;
END;

ALTER FUNCTION counterfoil.order_of_payment(of_id text, of_bundle text, of_environment text) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.order_of_payment(of_id text, of_bundle text, of_environment text) IS 'Private: the order that a payment was made for, whose client didn''t show it.';

CREATE FUNCTION counterfoil.order_status_of(order_id text, account_id text) RETURNS SETOF counterfoil.order_status
    LANGUAGE plpgsql STABLE ROWS 1
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS $$
#variable_conflict use_column
begin
    return query
    select s.*
    from (select w.* from counterfoil.order_status w where w.order_id = order_status_of.order_id offset 0) s
    where s.account_id = order_status_of.account_id;
end
$$;

ALTER FUNCTION counterfoil.order_status_of(order_id text, account_id text) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.order_status_of(order_id text, account_id text) IS 'Where an order of the account is, as a row of order_status. Poll it. An unknown order and one of another account give no row.';

CREATE FUNCTION counterfoil.order_statuses_of(order_ids text[], account_id text) RETURNS SETOF counterfoil.order_status
    LANGUAGE plpgsql STABLE ROWS 10
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS $$
#variable_conflict use_column
begin
    return query
    select s.*
    from (select distinct u.id from unnest(order_statuses_of.order_ids) u (id)) a
    cross join lateral (select w.* from counterfoil.order_status w where w.order_id = a.id offset 0) s
    where s.account_id = order_statuses_of.account_id;
end
$$;

ALTER FUNCTION counterfoil.order_statuses_of(order_ids text[], account_id text) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.order_statuses_of(order_ids text[], account_id text) IS 'Where several orders of the account are, as rows of order_status. Unknown orders and those of other accounts give no row.';

CREATE FUNCTION counterfoil.own_order(shown_for text, by_account text, shown_order_made_at timestamp with time zone, of_bundle text, of_product text, of_kind text, of_quantity integer, of_token uuid, paid_at timestamp with time zone) RETURNS TABLE(order_id text)
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT w.order_id
    FROM (( SELECT o.order_id
            FROM (counterfoil.orders o
              JOIN counterfoil.apps a ON ((a.bundle_id = o.bundle_id)))
           WHERE ((o.app_account_token = own_order.of_token) AND (o.bundle_id = own_order.of_bundle) AND (o.product_id = own_order.of_product) AND (o.quantity <= own_order.of_quantity) AND (o.order_id <> own_order.shown_for) AND (o.state = ANY (ARRAY['open'::text, 'rejected'::text, 'review'::text])) AND (o.recovery OR (o.created_at <= (own_order.paid_at + a.purchase_time_tolerance))) AND (( SELECT t.account_id
                    FROM counterfoil.account_of_token(own_order.of_bundle, own_order.of_token) t(account_id)) = own_order.by_account))
           ORDER BY o.created_at DESC, o.order_id
          LIMIT 1)
         UNION ALL
         ( SELECT o.order_id
            FROM (counterfoil.orders o
              JOIN counterfoil.apps a ON ((a.bundle_id = o.bundle_id)))
           WHERE ((own_order.of_token IS NULL) AND (own_order.paid_at < own_order.shown_order_made_at) AND (o.account_id = own_order.by_account) AND (o.product_id = own_order.of_product) AND (o.created_at <= own_order.paid_at) AND (o.created_at >= (own_order.paid_at - a.own_order_window)) AND (o.bundle_id = own_order.of_bundle) AND (o.quantity <= own_order.of_quantity) AND (o.app_account_token IS NULL) AND (o.state = 'open'::text))
           ORDER BY o.created_at DESC, o.order_id
          LIMIT 1)) w
   WHERE ((( SELECT true
            FROM counterfoil.payments p
           WHERE (p.order_id = ANY (ARRAY[w.order_id]))) IS NULL) AND COALESCE((( SELECT p.kind
            FROM counterfoil.products p
           WHERE ((p.bundle_id = own_order.of_bundle) AND (p.product_id = own_order.of_product))) = own_order.of_kind), true))
  OFFSET 0;
END;

ALTER FUNCTION counterfoil.own_order(shown_for text, by_account text, shown_order_made_at timestamp with time zone, of_bundle text, of_product text, of_kind text, of_quantity integer, of_token uuid, paid_at timestamp with time zone) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.own_order(shown_for text, by_account text, shown_order_made_at timestamp with time zone, of_bundle text, of_product text, of_kind text, of_quantity integer, of_token uuid, paid_at timestamp with time zone) IS 'Private: the order that a payment was made for, where another order of the account showed it.';

CREATE FUNCTION counterfoil.payments_of_original(of_bundle text, of_environment text, of_original text) RETURNS SETOF counterfoil.payment_states
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT s.transaction_id,
     s.bundle_id,
     s.environment,
     s.original_transaction_id,
     s.payment_key,
     s.web_order_line_item_id,
     s.product_id,
     s.product_kind,
     s.quantity,
     s.purchased_at,
     s.expires_at,
     s.app_account_token,
     s.account_id,
     s.shown_by,
     s.seen_at,
     s.reason,
     s.order_id,
     s.granted_at,
     s.job_id,
     s.paid_order_id,
     s.paid_account_id,
     s.is_refunded,
     s.is_partly_refunded,
     s.refunded_share,
     s.state,
     s.refunded_at
    FROM counterfoil.payment_states s
   WHERE ((s.transaction_id = payments_of_original.of_original) AND (s.bundle_id = payments_of_original.of_bundle) AND (s.environment = payments_of_original.of_environment))
 UNION ALL
  SELECT s.transaction_id,
     s.bundle_id,
     s.environment,
     s.original_transaction_id,
     s.payment_key,
     s.web_order_line_item_id,
     s.product_id,
     s.product_kind,
     s.quantity,
     s.purchased_at,
     s.expires_at,
     s.app_account_token,
     s.account_id,
     s.shown_by,
     s.seen_at,
     s.reason,
     s.order_id,
     s.granted_at,
     s.job_id,
     s.paid_order_id,
     s.paid_account_id,
     s.is_refunded,
     s.is_partly_refunded,
     s.refunded_share,
     s.state,
     s.refunded_at
    FROM counterfoil.payment_states s
   WHERE ((s.original_transaction_id = payments_of_original.of_original) AND (s.bundle_id = payments_of_original.of_bundle) AND (s.environment = payments_of_original.of_environment) AND (s.original_transaction_id <> s.transaction_id))
 OFFSET 0;
END;

ALTER FUNCTION counterfoil.payments_of_original(of_bundle text, of_environment text, of_original text) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.payments_of_original(of_bundle text, of_environment text, of_original text) IS 'Private: all payments of an original transaction, each with what became of it.';

CREATE FUNCTION counterfoil.prepare_job() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $_$
declare
    ordered record;
    start text := ltrim(substr(new.proof, 1, 64));
    -- Quotes, brackets or a byte order mark may come first, and it may be base64 or hex of a signed transaction.
    is_signed boolean := start ~ '^\W*(eyJ|ZXlK|x65794a)|"eyJ';
    is_bare_id boolean := start ~ '^\W*[0-9]{1,20}\W*$';
begin
    -- A follow-up comes from a settlement, which knows its lane.
    if new.kind <> 'verify' then
        return new;
    end if;

    select
        o.bundle_id, o.account_id, a.receipt_route, coalesce(a.confirm_after = interval '0', false) as confirms_always,
        (
            select
                case
                    when count(*) >= 100 or count(*) filter (where p.reason is distinct from 'purchase_not_in_receipt') >= 20
                        then 'at_most_20_pending_jobs_an_order'
                    when sum(p.bytes) + octet_length(new.proof) > 32 * 1048576
                        then 'at_most_32_mib_of_pending_proofs_an_order'
                end
            from (
                select j.reason, octet_length(j.proof) as bytes from counterfoil.jobs j
                where j.order_id = new.order_id and j.state <> 'discarded' and j.kind = 'verify'
                limit 100
            ) as p
        ) as broken_limit
    into ordered
    from counterfoil.orders o
    join counterfoil.apps a on a.bundle_id = o.bundle_id
    where o.order_id = new.order_id;

    if not found then
        raise exception 'the order of this job is not known'
            using errcode = 'foreign_key_violation', schema = 'counterfoil', table = 'jobs',
                constraint = 'job_names_a_known_order', hint = 'Insert the order first, or call counterfoil.submit.';
    end if;
    if new.account_id is not null and new.account_id <> ordered.account_id then
        raise exception 'the account of this job is not the account of its order'
            using errcode = 'check_violation', schema = 'counterfoil', table = 'jobs',
                constraint = 'job_belongs_to_the_orders_account';
    end if;
    if ordered.broken_limit = 'at_most_20_pending_jobs_an_order' then
        raise exception 'this order has 20 pending jobs already, or 100 with those whose receipts lack the purchase'
            using errcode = 'check_violation', schema = 'counterfoil', table = 'jobs', constraint = ordered.broken_limit;
    end if;
    if ordered.broken_limit is not null then
        raise exception 'the pending proofs of this order would have more than 32 MiB'
            using errcode = 'check_violation', schema = 'counterfoil', table = 'jobs', constraint = ordered.broken_limit,
                hint = 'Send it again once some are settled.';
    end if;

    select g.lane into new.lane
    from counterfoil.gates g
    where g.bundle_id = ordered.bundle_id
        and case
            when is_signed and not ordered.confirms_always then g.route = 'local'
            when is_signed or is_bare_id
                then g.route = 'server_api' and g.environment = 'production'
            when ordered.receipt_route = 'verify_receipt'
                then g.route = 'verify_receipt' and g.environment = 'production'
            when ordered.receipt_route = 'local_only' then g.route = 'local'
            else g.route = 'server_api' and g.environment = 'production'
        end;
    if is_bare_id then
        new.priority := greatest(new.priority, 2);
    end if;
    return new;
end
$_$;

ALTER FUNCTION counterfoil.prepare_job() OWNER TO counterfoil_owner;

CREATE FUNCTION counterfoil.prune_roll_ups(minutes_kept interval, hours_kept interval, most integer) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $_$
declare
    counted record;
    removed integer;
    most_removed integer := 0;
begin
    for counted in
        select c.*
        from (
            values
                ('attempt_minutes', 'minute', minutes_kept), ('latency_minutes', 'minute', minutes_kept),
                ('product_minutes', 'minute', minutes_kept), ('suspicion_minutes', 'minute', minutes_kept),
                ('attempt_hours', 'hour', hours_kept), ('latency_hours', 'hour', hours_kept),
                ('product_hours', 'hour', hours_kept)
        ) as c (name, time, kept)
    loop
        execute format(
            'with past as materialized (
                 select c.ctid from counterfoil.%1$I c where c.%2$I < now() - $1 order by c.%2$I limit $2
                 for update skip locked
             )
             delete from counterfoil.%1$I c using past where c.ctid = past.ctid',
            counted.name, counted.time
        ) using counted.kept, most;
        get diagnostics removed = row_count;
        most_removed := greatest(most_removed, removed);
    end loop;

    with past as materialized (
        select w.order_id
        from counterfoil.orders_in_review w
        join counterfoil.orders o on o.order_id = w.order_id
        where o.state <> 'review'
        limit most
        for update of w skip locked
    )
    delete from counterfoil.orders_in_review w using past where w.order_id = past.order_id;
    get diagnostics removed = row_count;
    return greatest(most_removed, removed);
end
$_$;

ALTER FUNCTION counterfoil.prune_roll_ups(minutes_kept interval, hours_kept interval, most integer) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.prune_roll_ups(minutes_kept interval, hours_kept interval, most integer) IS 'Removes counts past their retention; returns the most rows removed from one table: as many as allowed means that there may be more.';

CREATE FUNCTION counterfoil.queue_notifications() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    with waiting as (
        update counterfoil.notifications n
        set is_of_an_app = true
        where n.bundle_id = new.bundle_id and n.outcome is null and not n.is_of_an_app
        returning n.id
    )
    insert into counterfoil.jobs (kind, notification_id, lane, priority)
    select 'notification', w.id, new.lane, 3 from waiting w order by w.id;
    return null;
end
$$;

ALTER FUNCTION counterfoil.queue_notifications() OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.queue_notifications() IS 'Private: queues the notifications that came before their app was added.';

CREATE FUNCTION counterfoil.read_snapshot() RETURNS pg_snapshot
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    seen constant pg_snapshot := pg_current_snapshot();
    own constant xid8 := pg_current_xact_id_if_assigned();
begin
    if own is null or not pg_visible_in_snapshot(own, seen) then
        return seen;
    end if;
    return concat_ws(
        ':', least(own, pg_snapshot_xmin(seen)), pg_snapshot_xmax(seen),
        (select string_agg(r.xid::text, ',' order by r.xid) from (select pg_snapshot_xip(seen) as xid union select own) r));
end
$$;

ALTER FUNCTION counterfoil.read_snapshot() OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.read_snapshot() IS 'Private: the snapshot of a read, without what its own session wrote.';

CREATE FUNCTION counterfoil.receive_notification(payload text, source text DEFAULT 'push'::text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
#variable_conflict use_column
declare
    most_unverified constant integer := 2000;
    signed text := btrim(receive_notification.payload, E' \t\r\n');
    part text;
    claims jsonb;
    about jsonb;
    uuid uuid;
    bundle text;
    store text;
    hash bytea;
    new_id bigint;
    known_id bigint;
    is_unqueued boolean;
    app_lane integer;
    oldest bigint;
    newest bigint;
    unverified bigint;
begin
    if octet_length(receive_notification.payload) > 262144 then
        raise exception 'a notification has at most 256 KiB'
            using errcode = 'check_violation', schema = 'counterfoil', table = 'notifications',
                constraint = 'notification_has_at_most_256_kib';
    end if;

    begin
        if signed like '{%' then
            signed := signed::jsonb ->> 'signedPayload';
        end if;
        -- "translate" and "rpad" take ten times as long.
        part := replace(replace(split_part(signed, '.', 2), '-', '+'), '_', '/');
        claims := convert_from(decode(part || repeat('=', (4 - length(part) % 4) % 4), 'base64'), 'UTF8')::jsonb;
        -- data, summary and whatever Apple adds: the object that names the app.
        select e.value into about
        from jsonb_each(claims) e
        where jsonb_typeof(e.value) = 'object' and jsonb_typeof(e.value -> 'bundleId') = 'string'
        order by e.key
        limit 1;
        uuid := claims ->> 'notificationUUID';
        bundle := about ->> 'bundleId';
        store := case
            when about ->> 'environment' = 'Production' then 'production'
            when about ->> 'environment' = 'Sandbox' then 'sandbox'
            when about ? 'environment' then null
            -- https://developer.apple.com/documentation/appstoreservernotifications/externalpurchasetoken
            when about ->> 'externalPurchaseId' like 'SANDBOX%' then 'sandbox'
            else 'production'
        end;
    exception when data_exception or program_limit_exceeded then
        -- Refused below.
        uuid := null;
    end;
    if (
        uuid is not null and store is not null and length(bundle) between 1 and 155
        and length(claims ->> 'notificationType') between 1 and 100 and coalesce(length(claims ->> 'subtype'), 1) between 1 and 100
        and signed !~ '[^A-Za-z0-9_.-]' and split_part(signed, '.', 1) <> '' and split_part(signed, '.', 3) <> ''
        and split_part(signed, '.', 4) = '' and right(signed, 1) <> '.'
    ) is not true then
        raise exception 'this is no notification in Apple''s form'
            using errcode = 'check_violation', schema = 'counterfoil', table = 'notifications',
                constraint = 'notification_is_in_apples_form', hint = 'Pass the body of Apple''s request on as it came.';
    end if;

    hash := sha256(convert_to(signed, 'UTF8'));
    select g.lane into app_lane from counterfoil.gates g where g.bundle_id = bundle and g.route = 'local';
    select n.id, n.outcome is null and not n.is_of_an_app into known_id, is_unqueued
    from (
        -- Idiom: offset 0. Looked up by uuid, never by app.
        select n.* from counterfoil.notifications n where n.notification_uuid = uuid offset 0
    ) n
    where n.bundle_id = bundle and n.environment = store and (n.outcome is not null or n.payload_hash = hash)
    order by n.outcome is null
    limit 1;
    if known_id is not null then
        -- It came while its app was being added.
        if is_unqueued and app_lane is not null then
            update counterfoil.notifications n set is_of_an_app = true where n.id = known_id;
            insert into counterfoil.jobs (kind, notification_id, lane, priority)
            values ('notification', known_id, app_lane, 3)
            on conflict do nothing;
        end if;
        return 'known';
    end if;

    -- Ids follow each other: few wait where the newest and the oldest are close. Else they are counted.
    if app_lane is not null then
        select n.id into oldest from counterfoil.notifications n
        where n.outcome is null and n.is_of_an_app and n.bundle_id = bundle
        order by n.id limit 1;
        select n.id into newest from counterfoil.notifications n
        where n.outcome is null and n.is_of_an_app and n.bundle_id = bundle
        order by n.id desc limit 1;
    end if;
    if app_lane is null or newest - oldest >= most_unverified - 1 then
        select count(*) into unverified
        from (
            (
                select from counterfoil.notifications n
                where n.outcome is null and n.is_of_an_app and app_lane is not null and n.bundle_id = bundle
                limit most_unverified
            )
            union all
            (
                select from counterfoil.notifications n
                where n.outcome is null and not n.is_of_an_app and app_lane is null
                limit most_unverified
            )
        ) w;
    end if;
    if unverified >= most_unverified then
        raise exception '% notifications wait to be verified', most_unverified
            using errcode = 'configuration_limit_exceeded', schema = 'counterfoil', table = 'notifications',
                constraint = 'at_most_2000_unverified_notifications', hint = 'Answer Apple with 503: it sends it again.';
    end if;

    insert into counterfoil.notifications (
        notification_uuid, bundle_id, environment, type, subtype, signed_at, source, payload, payload_hash, is_of_an_app
    )
    values (
        uuid, bundle, store, claims ->> 'notificationType', claims ->> 'subtype',
        case
            when jsonb_typeof(claims -> 'signedDate') = 'number' and (claims ->> 'signedDate')::numeric between 0 and 253402300799999
                then to_timestamp((claims ->> 'signedDate')::numeric / 1000)
        end,
        receive_notification.source, signed, hash, app_lane is not null
    )
    on conflict (notification_uuid, bundle_id, environment, payload_hash) do nothing
    returning id into new_id;
    if new_id is null then
        return 'known';
    end if;
    if app_lane is null then
        return 'unknown_app';
    end if;
    insert into counterfoil.jobs (kind, notification_id, lane, priority)
    values ('notification', new_id, app_lane, case receive_notification.source when 'push' then 1 else 3 end);
    return 'stored';
end
$$;

ALTER FUNCTION counterfoil.receive_notification(payload text, source text) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.receive_notification(payload text, source text) IS 'Takes the body of a notification of Apple''s, to be verified by a job. Answers stored, known or unknown_app. Safe to repeat.';

CREATE FUNCTION counterfoil.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    raise exception 'rows of counterfoil.% are never changed or removed', tg_table_name
        using errcode = 'restrict_violation', schema = 'counterfoil', table = tg_table_name,
            constraint = 'the_ledger_is_append_only';
end
$$;

ALTER FUNCTION counterfoil.refuse_change() OWNER TO counterfoil_owner;

CREATE FUNCTION counterfoil.refuse_cursor() RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    raise exception 'this cursor is not known here'
        using errcode = 'ZCU01', schema = 'counterfoil', constraint = 'cursor_unknown',
            detail = 'It is cut or of another database, or the server was restored or failed over, or what follows was dropped.',
            hint = 'Begin anew with counterfoil.changes_from(time).';
end
$$;

ALTER FUNCTION counterfoil.refuse_cursor() OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.refuse_cursor() IS 'Private: refuses a cursor.';

CREATE FUNCTION counterfoil.renewed_account(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, of_reason text) RETURNS TABLE(account_id text)
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT w.account_id
    FROM counterfoil.owner_of_period(renewed_account.of_bundle, renewed_account.of_environment, renewed_account.of_original, renewed_account.of_purchased_at) w(account_id)
   WHERE
         CASE
             WHEN (renewed_account.of_reason IS NOT NULL) THEN (renewed_account.of_reason = 'renewal'::text)
             ELSE ( SELECT true
                FROM ( SELECT p.transaction_id,
                         p.account_id,
                         p.web_order_line_item_id,
                         p.purchased_at,
                         p.expires_at
                        FROM counterfoil.payments p
                       WHERE ((p.original_transaction_id = renewed_account.of_original) AND (p.bundle_id = renewed_account.of_bundle) AND (p.environment = renewed_account.of_environment) AND (p.original_transaction_id <> p.transaction_id) AND (p.granted_at IS NOT NULL))
                     UNION ALL
                      SELECT p.transaction_id,
                         p.account_id,
                         p.web_order_line_item_id,
                         p.purchased_at,
                         p.expires_at
                        FROM counterfoil.payments p
                       WHERE ((p.transaction_id = renewed_account.of_original) AND (p.bundle_id = renewed_account.of_bundle) AND (p.environment = renewed_account.of_environment) AND (p.granted_at IS NOT NULL))) g
               WHERE ((g.account_id = w.account_id) AND (g.purchased_at < renewed_account.of_purchased_at) AND (COALESCE(g.expires_at, 'infinity'::timestamp with time zone) >= (renewed_account.of_purchased_at - '1440:00:00'::interval)) AND (( SELECT true
                        FROM counterfoil.standing_revocations r
                       WHERE ((r.original_transaction_id = renewed_account.of_original) AND (r.bundle_id = renewed_account.of_bundle) AND (r.environment = renewed_account.of_environment) AND r.is_whole AND (r.occurred_at < renewed_account.of_purchased_at) AND ((r.transaction_id = g.transaction_id) OR counterfoil.is_one_payment(renewed_account.of_bundle, renewed_account.of_environment, renewed_account.of_original, 'auto_renewable'::text, g.web_order_line_item_id, g.purchased_at, 'auto_renewable'::text, r.web_order_line_item_id, r.purchased_at)))
                      LIMIT 1) IS NULL))
              LIMIT 1)
         END
  OFFSET 0;
END;

ALTER FUNCTION counterfoil.renewed_account(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, of_reason text) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.renewed_account(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, of_reason text) IS 'Private: the account whose subscription a period renews.';

CREATE FUNCTION counterfoil.replication_facts() RETURNS TABLE(is_standby boolean, is_streaming boolean, sees_sessions boolean, sync_names text, needed integer, standbys integer, confirming integer, list text, behind bigint, flush_lag interval, waiting integer, waits_for interval, slots text, slot_bytes bigint, lax text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select
        n.is_standby, exists (select from pg_stat_wal_receiver w where w.status = 'streaming'),
        pg_has_role(current_user, 'pg_read_all_stats', 'usage'), n.names,
        -- "ANY 2 (a, b)" and "FIRST 2 (a, b)" wait for two, every other list for one.
        case when n.names <> '' then coalesce(substring(n.names from '(?i)^\s*(?:(?:any|first)\s+)?(\d+)\s*\(')::integer, 1) end,
        r.standbys, r.confirming, r.list, r.behind, r.flush_lag, a.waiting, a.waits_for, s.slots, s.slot_bytes, l.lax
    from (
        select
            pg_is_in_recovery() as is_standby, btrim(current_setting('synchronous_standby_names')) as names,
            case when not pg_is_in_recovery() then pg_current_wal_lsn() end as written
    ) n
    cross join lateral (
        select
            count(*)::integer as standbys, count(*) filter (where w.sync_state in ('sync', 'quorum'))::integer as confirming,
            string_agg(concat_ws(' ', w.application_name, w.sync_state, nullif(w.state, 'streaming')), ', ' order by w.pid) as list,
            -- A standby that has not answered yet has no position.
            max(pg_wal_lsn_diff(n.written, coalesce(w.flush_lsn, w.sent_lsn)))::bigint as behind, max(w.flush_lag) as flush_lag
        from pg_stat_replication w
        where w.sync_state in ('sync', 'quorum') or (
            w.state is distinct from 'backup' and w.application_name not in ('pg_basebackup', 'pg_receivewal')
            and not exists (select from pg_replication_slots o where o.active_pid = w.pid and o.slot_type = 'logical')
        )
    ) r
    cross join lateral (
        select count(*)::integer as waiting, clock_timestamp() - min(b.query_start) as waits_for
        from pg_stat_activity b
        where b.datname = current_database() and b.wait_event = 'SyncRep'
    ) a
    cross join lateral (
        select
            string_agg(
                format(
                    '%s (%s)', o.slot_name,
                    case o.wal_status when 'lost' then 'lost' else pg_size_pretty(pg_wal_lsn_diff(n.written, o.restart_lsn)) end
                ),
                ', ' order by o.restart_lsn
            ) as slots,
            max(pg_wal_lsn_diff(n.written, o.restart_lsn))::bigint as slot_bytes
        from pg_replication_slots o
        where not n.is_standby and not o.active and not o.temporary and (o.restart_lsn is not null or o.wal_status = 'lost')
    ) s
    cross join lateral (
        select string_agg(distinct x.who || ' = ' || x.value, ', ') as lax
        from (
            select 'the server' as who, p.reset_val as value from pg_settings p where p.name = 'synchronous_commit'
            union all
            select coalesce('role ' || nullif(d.setrole, 0)::regrole::text, 'this database'), split_part(c.text, '=', 2)
            from pg_db_role_setting d
            cross join unnest(d.setconfig) as c (text)
            where split_part(c.text, '=', 1) = 'synchronous_commit'
                and d.setdatabase in (0, (select b.oid from pg_database b where b.datname = current_database()))
                and (d.setrole = 0 or d.setrole in (
                    select o.oid from pg_roles o
                    where o.rolname in ('counterfoil_backend', 'counterfoil_worker', 'counterfoil_support')
                ))
        ) x
        where x.value in ('off', 'local', 'false', 'no', '0')
    ) l
$$;

ALTER FUNCTION counterfoil.replication_facts() OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.replication_facts() IS 'Private: standbys, confirmations, sessions that wait for one, and inactive slots; the view replication judges them.';

CREATE FUNCTION counterfoil.roll_up() RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    SET enable_bitmapscan TO 'on'
    SET enable_seqscan TO 'off'
    SET plan_cache_mode TO 'force_custom_plan'
    SET jit TO 'off'
    AS $$
declare
    -- An attempt's settlement may begin in the last moments of a minute and end shortly afterwards.
    settling constant interval := '5 seconds';
    finality constant interval := '10 minutes';
    most_at_once constant integer := 20000;
    mark record;
    first_minute timestamptz;
    past_last timestamptz;
    step interval;
    is_final boolean;
    has_grown boolean := true;
begin
    select m.counted_to, m.final_to into mark from counterfoil.roll_up_marks m for update skip locked;
    if not found then
        return 0;
    end if;

    -- The clock was ahead when these were counted. What happened since it is right comes before them: begin anew there.
    if mark.counted_to > now() + interval '1 minute' then
        update counterfoil.roll_up_marks m
        set counted_to = last.minute, final_to = last.minute
        from (
            select coalesce(max(c.minute), date_trunc('minute', now())) as minute
            from counterfoil.attempt_minutes c
            where c.minute < date_trunc('minute', now())
        ) last
        returning m.counted_to, m.final_to into mark;
    end if;

    if mark.final_to + interval '1 minute' <= now() - finality then
        is_final := true;
        first_minute := mark.final_to;
        foreach step in array array['1 day', '1 hour', '1 minute']::interval[] loop
            past_last := first_minute + step;
            exit when step = interval '1 minute';
            continue when past_last > now() - finality;
            exit when (
                select count(*) from (
                    (
                        select from counterfoil.attempts a
                        where a.finished_at >= first_minute and a.finished_at < past_last limit most_at_once
                    )
                    union all
                    (
                        select from counterfoil.orders o
                        where o.created_at >= first_minute and o.created_at < past_last limit most_at_once
                    )
                ) as happened
            ) < most_at_once;
        end loop;
    elsif mark.counted_to + interval '1 minute' <= now() - settling then
        is_final := false;
        first_minute := mark.counted_to;
        past_last := first_minute + interval '1 minute';
    else
        return 0;
    end if;

    -- History only grows: what has as many attempts and orders as were counted is as it was.
    if past_last <= mark.counted_to then
        select
            (
                select count(*) from counterfoil.attempts a
                where a.finished_at >= first_minute and a.finished_at < past_last
            ) <> (
                select coalesce(sum(m.attempts), 0) from counterfoil.attempt_minutes m
                where m.minute >= first_minute and m.minute < past_last
            )
            or (
                select count(*) from counterfoil.orders o
                where o.created_at >= first_minute and o.created_at < past_last
            ) <> (
                select coalesce(sum(m.ordered), 0) from counterfoil.product_minutes m
                where m.minute >= first_minute and m.minute < past_last
            )
        into has_grown;
    end if;

    if has_grown then
        perform counterfoil.roll_up_minutes(first_minute, past_last);
    end if;

    -- Also where nothing has grown: an hour follows all of its minutes.
    perform counterfoil.roll_up_hours(
        date_trunc('hour', first_minute), date_trunc('hour', past_last - interval '1 microsecond') + interval '1 hour');
    if is_final then
        update counterfoil.roll_up_marks m set final_to = past_last, counted_to = greatest(m.counted_to, past_last);
    else
        update counterfoil.roll_up_marks m set counted_to = past_last;
    end if;
    return (extract(epoch from past_last - first_minute) / 60)::integer;
end
$$;

ALTER FUNCTION counterfoil.roll_up() OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.roll_up() IS 'Counts the next minutes that are over; returns how many, 0 when none is due or another worker counts.';

CREATE FUNCTION counterfoil.roll_up_hours(first_hour timestamp with time zone, past_last timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET "TimeZone" TO 'UTC'
    AS $$
begin
    insert into counterfoil.attempt_hours as h (hour, bundle_id, outcome, reason, proof_kind, environment, attempts)
    select
        date_trunc('hour', m.minute), m.bundle_id, m.outcome, m.reason, m.proof_kind, m.environment, sum(m.attempts)
    from counterfoil.attempt_minutes m
    where m.minute >= first_hour and m.minute < past_last
    group by 1, 2, 3, 4, 5, 6
    on conflict (hour, bundle_id, outcome, reason, proof_kind, environment) do update
    set attempts = excluded.attempts where h.attempts <> excluded.attempts;

    insert into counterfoil.latency_hours as h (hour, bundle_id, measure, buckets, reached)
    select
        r.hour, r.bundle_id, r.measure, array_agg(r.bucket order by r.bucket), array_agg(r.reached order by r.bucket)
    from (
        select
            date_trunc('hour', m.minute) as hour, m.bundle_id, m.measure, m.bucket,
            (
                sum(sum(m.attempts)) over (
                    partition by date_trunc('hour', m.minute), m.bundle_id, m.measure order by m.bucket
                )
            )::bigint as reached
        from counterfoil.latency_buckets m
        where m.minute >= first_hour and m.minute < past_last
        group by 1, 2, 3, 4
    ) r
    group by r.hour, r.bundle_id, r.measure
    on conflict (hour, bundle_id, measure) do update
    set buckets = excluded.buckets, reached = excluded.reached
    where (h.buckets, h.reached) <> (excluded.buckets, excluded.reached);

    insert into counterfoil.product_hours as h
        (hour, bundle_id, product_id, ordered, judged, fulfilled, rejected, reviewed, refunded)
    select
        date_trunc('hour', m.minute), m.bundle_id, m.product_id, sum(m.ordered), sum(m.judged), sum(m.fulfilled),
        sum(m.rejected), sum(m.reviewed), sum(m.refunded)
    from counterfoil.product_minutes m
    where m.minute >= first_hour and m.minute < past_last
    group by 1, 2, 3
    on conflict (hour, bundle_id, product_id) do update
    set ordered = excluded.ordered, judged = excluded.judged, fulfilled = excluded.fulfilled,
        rejected = excluded.rejected, reviewed = excluded.reviewed, refunded = excluded.refunded
    where (h.ordered, h.judged, h.fulfilled, h.rejected, h.reviewed, h.refunded)
        <> (excluded.ordered, excluded.judged, excluded.fulfilled, excluded.rejected, excluded.reviewed, excluded.refunded);
end
$$;

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
    AS $$
begin
    with attempt as materialized (
        select
            date_trunc('minute', a.finished_at) as minute, a.job_id, a.order_id, o.bundle_id, o.product_id, o.account_id,
            o.state, counterfoil.attempt_outcome(a.disposition, a.reason, a.transaction_id) as outcome,
            coalesce(a.reason, '') as reason, coalesce(a.proof_kind, '') as proof_kind,
            coalesce(a.environment, '') as environment, a.lease_token, a.worker_id, a.submitted_at, a.claimed_at,
            a.finished_at
        from counterfoil.attempts a
        join counterfoil.orders o on o.order_id = a.order_id
        where a.finished_at >= first_minute and a.finished_at < past_last
    ), attempts_counted as (
        insert into counterfoil.attempt_minutes as m
            (minute, bundle_id, outcome, reason, proof_kind, environment, attempts)
        select a.minute, a.bundle_id, a.outcome, a.reason, a.proof_kind, a.environment, count(*)
        from attempt a
        group by a.minute, a.bundle_id, a.outcome, a.reason, a.proof_kind, a.environment
        on conflict (minute, bundle_id, outcome, reason, proof_kind, environment) do update
        set attempts = excluded.attempts where m.attempts <> excluded.attempts
    ), latency as (
        select
            t.minute, t.bundle_id, width_bucket(t.pick_up, counterfoil.latency_bounds()) as pick_up,
            width_bucket(t.attempt, counterfoil.latency_bounds()) as attempt,
            width_bucket(t.fulfilment, counterfoil.latency_bounds()) as fulfilment, count(*) as attempts
        from (
            select
                a.minute, a.bundle_id,
                -- Of the first claim: attempts that don't count are numbered like the next ones, leases are not.
                case when a.lease_token = 1 then date_part('epoch', a.claimed_at - a.submitted_at) end as pick_up,
                date_part('epoch', a.finished_at - a.claimed_at) as attempt,
                case when a.outcome = 'fulfilled' then date_part('epoch', a.finished_at - a.submitted_at) end as fulfilment
            from attempt a
            -- A job that an operator gave up was no attempt.
            where a.outcome not in ('rescued', 'cancelled') and a.worker_id is not null
        ) as t
        group by 1, 2, 3, 4, 5
    ), latencies_counted as (
        insert into counterfoil.latency_minutes as m (minute, bundle_id, measure, buckets, reached)
        select
            r.minute, r.bundle_id, r.measure, array_agg(r.bucket order by r.bucket),
            array_agg(r.reached order by r.bucket)
        from (
            select
                l.minute, l.bundle_id, b.measure, b.bucket,
                (sum(sum(l.attempts)) over (partition by l.minute, l.bundle_id, b.measure order by b.bucket))::bigint
                    as reached
            from latency l
            cross join lateral (
                values ('pick_up', l.pick_up), ('attempt', l.attempt), ('fulfilment', l.fulfilment)
            ) as b (measure, bucket)
            where b.bucket is not null
            group by l.minute, l.bundle_id, b.measure, b.bucket
        ) r
        group by r.minute, r.bundle_id, r.measure
        on conflict (minute, bundle_id, measure) do update
        set buckets = excluded.buckets, reached = excluded.reached
        where (m.buckets, m.reached) <> (excluded.buckets, excluded.reached)
    ), happening as (
        select
            a.minute, a.bundle_id, a.product_id, 0 as ordered,
            (a.outcome in ('fulfilled', 'rejected', 'review', 'refunded', 'unchanged', 'discarded') and a.proof_kind <> '')
                ::integer as judged,
            (a.outcome = 'fulfilled')::integer as fulfilled, (a.outcome = 'rejected')::integer as rejected,
            (a.outcome in ('review', 'discarded'))::integer as reviewed, (a.outcome = 'refunded')::integer as refunded
        from attempt a
        union all
        select date_trunc('minute', o.created_at), o.bundle_id, o.product_id, 1, 0, 0, 0, 0, 0
        from counterfoil.orders o
        where o.created_at >= first_minute and o.created_at < past_last
    ), products_counted as (
        insert into counterfoil.product_minutes as m
            (minute, bundle_id, product_id, ordered, judged, fulfilled, rejected, reviewed, refunded)
        select
            h.minute, h.bundle_id, h.product_id, sum(h.ordered), sum(h.judged), sum(h.fulfilled), sum(h.rejected),
            sum(h.reviewed), sum(h.refunded)
        from happening h
        group by h.minute, h.bundle_id, h.product_id
        having sum(h.ordered + h.judged + h.fulfilled + h.rejected + h.reviewed + h.refunded) > 0
        on conflict (minute, bundle_id, product_id) do update
        set ordered = excluded.ordered, judged = excluded.judged, fulfilled = excluded.fulfilled,
            rejected = excluded.rejected, reviewed = excluded.reviewed, refunded = excluded.refunded
        where (m.ordered, m.judged, m.fulfilled, m.rejected, m.reviewed, m.refunded)
            <> (excluded.ordered, excluded.judged, excluded.fulfilled, excluded.rejected, excluded.reviewed, excluded.refunded)
    ), suspicions_counted as (
        insert into counterfoil.suspicion_minutes as m (minute, bundle_id, account_id, reason, attempts)
        select a.minute, a.bundle_id, a.account_id, a.reason, count(*)
        from attempt a
        where a.outcome = 'rejected' or a.outcome = 'review' and a.reason = 'owner_mismatch'
        group by a.minute, a.bundle_id, a.account_id, a.reason
        on conflict (minute, bundle_id, account_id, reason) do update
        set attempts = excluded.attempts where m.attempts <> excluded.attempts
    )
    insert into counterfoil.orders_in_review (order_id, since)
    select a.order_id, min(a.finished_at) from attempt a where a.state = 'review' group by a.order_id
    on conflict (order_id) do nothing;
end
$$;

ALTER FUNCTION counterfoil.roll_up_minutes(first_minute timestamp with time zone, past_last timestamp with time zone) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.roll_up_minutes(first_minute timestamp with time zone, past_last timestamp with time zone) IS 'Private: counts what happened in some minutes.';

CREATE FUNCTION counterfoil.search_ages() RETURNS interval[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '{00:10:00,02:00:00,"1 day","3 days"}'::interval[];

ALTER FUNCTION counterfoil.search_ages() OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.search_ages() IS 'Private: the ages of an open order at which its payment is searched.';

CREATE FUNCTION counterfoil.snapshot_holders() RETURNS TABLE(holder text, pid integer, role name, held_for interval, transactions_behind integer)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
    select
        case a.backend_type when 'walsender' then 'standby' else 'session' end, a.pid, a.usename, now() - a.xact_start,
        greatest(age(a.backend_xmin), age(a.backend_xid))
    from pg_catalog.pg_stat_activity a
    where (a.backend_xmin is not null or a.backend_xid is not null)
        and (a.datname = current_database() or a.datname is null) and a.pid <> pg_backend_pid()
        and a.pid not in (select v.pid from pg_catalog.pg_stat_progress_vacuum v)
    union all
    select 'prepared transaction ' || p.gid, null, p.owner, now() - p.prepared, age(p.transaction)
    from pg_catalog.pg_prepared_xacts p
    where p.database = current_database()
    union all
    select 'replication slot ' || s.slot_name, s.active_pid, null, null, age(s.xmin)
    from pg_catalog.pg_replication_slots s
    where s.xmin is not null
    order by 5 desc
$$;

ALTER FUNCTION counterfoil.snapshot_holders() OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.snapshot_holders() IS 'Sessions, prepared transactions and slots that keep vacuum off dead rows, the oldest first; without the text of any query.';

CREATE FUNCTION counterfoil.submit(order_id text, bundle_id text, product_id text, account_id text, proof text, quantity integer DEFAULT 1, app_account_token uuid DEFAULT NULL::uuid, recovery boolean DEFAULT false, transaction_id text DEFAULT NULL::text) RETURNS SETOF counterfoil.order_status
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
#variable_conflict use_column
declare
    known counterfoil.orders;
    is_seen_anew boolean := false;
    pending bigint;
    answer counterfoil.order_status;
begin
    insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, quantity, app_account_token, recovery)
    values (
        submit.order_id, submit.bundle_id, submit.product_id, submit.account_id, submit.quantity,
        submit.app_account_token, submit.recovery
    )
    on conflict on constraint order_ids_are_unique do nothing;

    if not found then
        select * into known from counterfoil.orders o where o.order_id = submit.order_id;
        if (known.bundle_id, known.product_id, known.account_id, known.quantity)
                is distinct from (submit.bundle_id, submit.product_id, submit.account_id, submit.quantity)
            or known.app_account_token is distinct from submit.app_account_token
        then
            raise exception 'an order of this id with other content exists'
                using errcode = 'unique_violation', schema = 'counterfoil', table = 'orders',
                    constraint = 'order_ids_are_unique';
        end if;
        if submit.recovery and not known.recovery then
            update counterfoil.orders o set recovery = true where o.order_id = submit.order_id;
            is_seen_anew := true;
        end if;
    end if;

    -- The same proof again, while it is pending, is the same job, unless an attempt may be judging it by what the order was.
    -- Lengths differ first, and cost nothing to compare.
    if not is_seen_anew then
        select max(j.id) into pending
        from counterfoil.jobs j
        where j.order_id = submit.order_id and j.state <> 'discarded'
            and octet_length(j.proof) = octet_length(submit.proof) and j.proof = submit.proof
            and j.transaction_id is not distinct from submit.transaction_id;
    end if;
    if pending is null then
        insert into counterfoil.jobs (order_id, proof, transaction_id)
        values (submit.order_id, submit.proof, submit.transaction_id)
        returning id into pending;
    end if;

    select * into answer from counterfoil.order_status s where s.order_id = submit.order_id;
    answer.job_id := pending;
    return next answer;
end
$$;

ALTER FUNCTION counterfoil.submit(order_id text, bundle_id text, product_id text, account_id text, proof text, quantity integer, app_account_token uuid, recovery boolean, transaction_id text) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.submit(order_id text, bundle_id text, product_id text, account_id text, proof text, quantity integer, app_account_token uuid, recovery boolean, transaction_id text) IS 'Makes the order unless it exists, adds the proof unless it is pending, returns the order''s status with the upload''s job_id. Safe to repeat.';

CREATE FUNCTION counterfoil.take_from_history(payload text) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    return counterfoil.receive_notification(payload, 'history');
exception when check_violation then
    return 'unreadable';
end
$$;

ALTER FUNCTION counterfoil.take_from_history(payload text) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.take_from_history(payload text) IS 'Private: takes a notification of Apple''s history.';

CREATE FUNCTION counterfoil.tell_consumption_request() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
begin
    insert into counterfoil.changes (kind, transaction_id, environment, bundle_id, reason)
    values ('consumption_requested', new.transaction_id, new.environment, new.bundle_id, new.reason);
    return null;
end
$$;

ALTER FUNCTION counterfoil.tell_consumption_request() OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.tell_consumption_request() IS 'Private: tells the feed that Apple asks about a refund.';

CREATE FUNCTION counterfoil.tell_found() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    new_version integer;
begin
    -- The lock comes before the change's number.
    update counterfoil.orders o set version = o.version + 1 where o.order_id = new.order_id returning o.version into new_version;
    insert into counterfoil.changes (kind, order_id, order_version) values ('order_found', new.order_id, new_version);
    return null;
end
$$;

ALTER FUNCTION counterfoil.tell_found() OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.tell_found() IS 'Private: tells the feed of a payment that was brought to an order.';

CREATE FUNCTION counterfoil.tell_orders() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_nestloop TO 'off'
    AS $$
declare
    unversioned text[];
    restored text[];
begin
    if exists (select from counterfoil.imports i where i.database_transaction = pg_current_xact_id()) then
        return null;
    end if;
    with moved as materialized (
        select
            n.order_id, greatest(n.version, o.version + 1) as version, n.state, n.reason, n.transaction_id, n.environment,
            n.version = o.version as is_unversioned, o.state = 'refunded' and n.state = 'fulfilled' as is_restored
        from became n
        join was o on o.order_id = n.order_id
        where (n.state <> o.state or n.reason is distinct from o.reason) and n.state <> 'open'
    ), told as (
        insert into counterfoil.changes (kind, order_id, order_version, transaction_id, environment, reason, share)
        select
            case m.state
                when 'fulfilled' then 'order_fulfilled'
                when 'refunded' then 'order_refunded'
                when 'rejected' then 'order_rejected'
                when 'review' then 'order_in_review'
                when 'cancelled' then 'order_cancelled'
            end,
            m.order_id, m.version, case when m.state <> 'fulfilled' then m.transaction_id end,
            case when m.state <> 'fulfilled' then m.environment end, m.reason, case when m.state = 'refunded' then 100000 end
        from moved m
        where not m.is_restored
    )
    select
        array_agg(m.order_id) filter (where m.is_unversioned), array_agg(m.order_id) filter (where m.is_restored)
    into unversioned, restored
    from moved m;

    if unversioned is not null then
        update counterfoil.orders o set version = o.version + 1 where o.order_id = any (unversioned);
    end if;
    if restored is not null then
        perform counterfoil.tell_standing_refund(r.order_id) from unnest(restored) as r (order_id);
    end if;
    return null;
end
$$;

ALTER FUNCTION counterfoil.tell_orders() OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.tell_orders() IS 'Private: tells the feed what became of orders.';

CREATE FUNCTION counterfoil.tell_refund() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
declare
    of_order text;
begin
    for of_order in
        select s.order_id
        from counterfoil.payments_of_original(new.bundle_id, new.environment, new.original_transaction_id) s
        where s.state = 'granted'
            and (
                s.transaction_id = new.transaction_id
                -- Another name of the payment. A reversal is of what was taken back before.
                or exists (
                    select
                    from counterfoil.revocations v
                    where v.original_transaction_id = s.original_transaction_id and v.bundle_id = s.bundle_id
                        and v.environment = s.environment and v.transaction_id = new.transaction_id and v.kind = 'revocation'
                        and counterfoil.is_one_payment(
                            s.bundle_id, s.environment, s.original_transaction_id, s.product_kind, s.web_order_line_item_id,
                            s.purchased_at,
                            (
                                select n.product_kind from counterfoil.payments n
                                where n.transaction_id = new.transaction_id and n.bundle_id = s.bundle_id
                                    and n.environment = s.environment
                            ),
                            v.web_order_line_item_id, coalesce(v.purchased_at, v.occurred_at))
                )
            )
        order by s.order_id
    loop
        -- The lock comes before the change's number.
        update counterfoil.orders o set version = o.version + 1 where o.order_id = of_order and o.state = 'fulfilled';
        if found then
            perform counterfoil.tell_standing_refund(of_order);
        end if;
    end loop;
    return null;
end
$$;

ALTER FUNCTION counterfoil.tell_refund() OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.tell_refund() IS 'Private: tells the feed of a refund that leaves its order fulfilled.';

CREATE FUNCTION counterfoil.tell_standing_refund(of_order text) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_nestloop TO 'on'
    AS $$
    insert into counterfoil.changes (kind, order_id, order_version, share)
    select
        case when s.is_partly_refunded then 'order_partly_refunded' else 'refund_reversed' end, o.order_id, o.version,
        s.refunded_share
    from counterfoil.orders o
    join counterfoil.payment_states s on s.order_id = o.order_id
    where o.order_id = of_order
$$;

ALTER FUNCTION counterfoil.tell_standing_refund(of_order text) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.tell_standing_refund(of_order text) IS 'Private: tells the feed what stands of the refunds of a fulfilled order.';

CREATE FUNCTION counterfoil.tell_unclaimed() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
declare
    silent constant text[] := '{restored,refunded,before_ledger}';
    ids text[];
    bundles text[];
    environments text[];
begin
    if tg_op = 'INSERT' then
        select array_agg(n.transaction_id), array_agg(n.bundle_id), array_agg(n.environment)
        into ids, bundles, environments
        from became n
        where n.reason <> all (silent);
    else
        select array_agg(n.transaction_id), array_agg(n.bundle_id), array_agg(n.environment)
        into ids, bundles, environments
        from became n
        join was o on o.transaction_id = n.transaction_id and o.bundle_id = n.bundle_id and o.environment = n.environment
        where n.reason <> o.reason
            and (o.reason = any (silent || array['renewal']) and n.reason <> all (silent || array['renewal']) or n.reason = 'renewal');
    end if;
    -- Most statements only grant.
    if ids is null then
        return null;
    end if;
    insert into counterfoil.changes (kind, transaction_id, environment, bundle_id, reason, share)
    select
        case s.state when 'renewal' then 'subscription_renewed' else 'payment_unclaimed' end, s.transaction_id, s.environment, s.bundle_id,
        s.reason, s.refunded_share
    from unnest(ids, bundles, environments) as e (transaction_id, bundle_id, environment)
    cross join lateral (
        select * from counterfoil.payment_states s
        where s.transaction_id = e.transaction_id and s.bundle_id = e.bundle_id and s.environment = e.environment
        offset 0
    ) s
    where s.state in ('unclaimed', 'renewal');
    return null;
end
$$;

ALTER FUNCTION counterfoil.tell_unclaimed() OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.tell_unclaimed() IS 'Private: tells the feed of payments that nothing was granted for.';

CREATE VIEW counterfoil.transaction_status AS
 SELECT s.bundle_id,
    s.environment,
    s.transaction_id,
        CASE
            WHEN s.is_refunded THEN 'revoked'::text
            WHEN (s.paid_order_id IS NOT NULL) THEN 'granted'::text
            ELSE 'unclaimed'::text
        END AS status,
        CASE
            WHEN s.is_refunded THEN 'refunded'::text
            WHEN (s.paid_order_id IS NULL) THEN s.reason
            ELSE NULL::text
        END AS reason,
    s.paid_order_id AS order_id,
        CASE
            WHEN (s.paid_order_id IS NOT NULL) THEN s.paid_account_id
            WHEN (NOT s.is_refunded) THEN s.account_id
            ELSE NULL::text
        END AS account_id,
        CASE
            WHEN (s.state <> 'unclaimed'::text) THEN 'finish'::text
            WHEN (s.account_id IS NULL) THEN 'upload_proof'::text
            WHEN counterfoil.can_be_ordered_again(s.transaction_id, s.bundle_id, s.environment) THEN 'order_again'::text
            ELSE 'contact_support'::text
        END AS client_action,
    s.product_id,
    s.quantity
   FROM counterfoil.payment_states s;

ALTER TABLE counterfoil.transaction_status OWNER TO counterfoil_owner;

COMMENT ON VIEW counterfoil.transaction_status IS 'What became of a transaction: granted to which order, unclaimed and why, or revoked; and what the client should do.';

CREATE FUNCTION counterfoil.transaction_status_of(bundle_id text, environment text, transaction_id text, account_id text) RETURNS SETOF counterfoil.transaction_status
    LANGUAGE plpgsql STABLE ROWS 1
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS $$
#variable_conflict use_column
begin
    return query
    select s.*
    from (
        select w.* from counterfoil.transaction_status w
        where w.transaction_id = transaction_status_of.transaction_id and w.bundle_id = transaction_status_of.bundle_id
            and (transaction_status_of.environment is null or w.environment = transaction_status_of.environment)
        offset 0
    ) s
    where coalesce(s.account_id, transaction_status_of.account_id) = transaction_status_of.account_id;
end
$$;

ALTER FUNCTION counterfoil.transaction_status_of(bundle_id text, environment text, transaction_id text, account_id text) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.transaction_status_of(bundle_id text, environment text, transaction_id text, account_id text) IS 'What became of a transaction of the account, or of none, as a row of transaction_status. One of another account gives no row.';

CREATE FUNCTION counterfoil.unclaimed_for_order(of_order text) RETURNS TABLE(transaction_id text)
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT u.transaction_id
    FROM (counterfoil.orders o
      CROSS JOIN LATERAL ( SELECT s.transaction_id,
             s.bundle_id,
             s.environment,
             s.original_transaction_id,
             s.payment_key,
             s.web_order_line_item_id,
             s.product_id,
             s.product_kind,
             s.quantity,
             s.purchased_at,
             s.expires_at,
             s.app_account_token,
             s.account_id,
             s.shown_by,
             s.seen_at,
             s.reason,
             s.order_id,
             s.granted_at,
             s.job_id,
             s.paid_order_id,
             s.paid_account_id,
             s.is_refunded,
             s.is_partly_refunded,
             s.refunded_share,
             s.state,
             s.refunded_at
            FROM counterfoil.payment_states s
           WHERE ((s.shown_by = o.order_id) AND (s.reason IS NOT NULL))
          OFFSET 0) u)
   WHERE ((o.order_id = ANY (ARRAY[unclaimed_for_order.of_order])) AND (u.product_id = o.product_id) AND (u.state = 'unclaimed'::text) AND ((u.reason <> ALL (ARRAY['no_order'::text, 'before_ledger'::text])) OR o.recovery OR (u.transaction_id = o.transaction_id) OR (u.purchased_at >= (o.created_at - ( SELECT a.purchase_time_tolerance
            FROM counterfoil.apps a
           WHERE (a.bundle_id = o.bundle_id))))))
  OFFSET 0;
END;

ALTER FUNCTION counterfoil.unclaimed_for_order(of_order text) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.unclaimed_for_order(of_order text) IS 'Private: the unclaimed payments that may still fulfil an order.';

CREATE FUNCTION counterfoil.upload_status(job_id bigint, account_id text) RETURNS TABLE(order_id text, bundle_id text, state text, reason text, client_action text, transaction_id text, environment text, product_id text, quantity integer, status text, paid_order_id text)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    SET enable_seqscan TO 'off'
    AS $$
    with upload as materialized (
        select u.*
        from (
            select j.order_id, true as is_pending, j.reason, null::text as environment, null::text[] as ids
            from counterfoil.jobs j
            join counterfoil.orders o on o.order_id = j.order_id
            where j.id = upload_status.job_id and o.account_id = upload_status.account_id and j.kind = 'verify'
                and j.state <> 'discarded'
            union all
            (
                select
                    a.order_id, false, a.reason, a.environment, coalesce(a.shown_transaction_ids, array[a.transaction_id])
                from counterfoil.orders o
                join counterfoil.attempts a on a.order_id = o.order_id and a.finished_at >= o.created_at
                where o.account_id = upload_status.account_id and a.job_id = upload_status.job_id
                order by a.finished_at desc
                limit 1
            )
        ) u
        order by u.is_pending desc
        limit 1
    ), payment as (
        select
            s.transaction_id, s.environment, s.product_id, s.quantity, s.purchased_at, s.paid_order_id,
            case
                when s.is_refunded then 'revoked'
                when s.paid_order_id is not null then 'granted'
                else 'unclaimed'
            end as status,
            case
                when s.state <> 'unclaimed' then 'finish'
                -- As order_status has it: not for an order in review that is the same.
                when (
                        o.state <> 'review' or s.transaction_id is distinct from o.transaction_id
                        or (s.product_id, s.quantity) is distinct from (o.product_id, o.quantity)
                    )
                    and counterfoil.can_be_ordered_again(s.transaction_id, s.bundle_id, s.environment)
                    then 'order_again'
                else 'contact_support'
            end as client_action
        from upload u
        join counterfoil.orders o on o.order_id = u.order_id
        cross join lateral (
            select * from counterfoil.payment_states p
            where p.transaction_id = any (u.ids) and p.bundle_id = o.bundle_id
                and (p.environment = u.environment or u.environment is null)
            offset 0
        ) s
        where coalesce(s.paid_account_id, s.account_id, o.account_id) = upload_status.account_id
    )
    select
        u.order_id, s.bundle_id, case when u.is_pending then 'pending' else 'over' end,
        case when u.is_pending then s.reason else u.reason end,
        case
            when u.is_pending then case when u.reason = 'purchase_not_in_receipt' then 'resend_proof' else 'wait' end
            else coalesce(p.client_action, s.client_action)
        end,
        p.transaction_id, p.environment, p.product_id, p.quantity, p.status, p.paid_order_id
    from upload u
    join counterfoil.order_status s on s.order_id = u.order_id
    left join payment p on true
    order by p.purchased_at, p.transaction_id
$$;

ALTER FUNCTION counterfoil.upload_status(job_id bigint, account_id text) OWNER TO counterfoil_owner;

COMMENT ON FUNCTION counterfoil.upload_status(job_id bigint, account_id text) IS 'What became of one upload of the account, and of each payment that its proof showed: status and client_action of each.';

CREATE TABLE counterfoil.answered_orders (
    transaction_id text NOT NULL COLLATE pg_catalog."C",
    order_id text NOT NULL COLLATE pg_catalog."C"
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

CREATE VIEW counterfoil.lane_backlogs AS
 WITH RECURSIVE used(lane) AS (
        ( SELECT j.lane
           FROM counterfoil.jobs j
          WHERE (j.state = 'available'::text)
          ORDER BY j.lane
         LIMIT 1)
        UNION ALL
         SELECT ( SELECT j.lane
                   FROM counterfoil.jobs j
                  WHERE ((j.state = 'available'::text) AND (j.lane > u_1.lane))
                  ORDER BY j.lane
                 LIMIT 1) AS lane
           FROM used u_1
          WHERE (u_1.lane IS NOT NULL)
        )
 SELECT u.lane,
    ( SELECT count(*) AS count
           FROM ( SELECT
                   FROM counterfoil.jobs j
                  WHERE ((j.state = 'available'::text) AND (j.lane = u.lane))
                 LIMIT 10000) few) AS waiting,
    ( SELECT count(*) AS count
           FROM ( SELECT
                   FROM (generate_series(0, 3) p(priority)
                     CROSS JOIN LATERAL ( SELECT
                           FROM counterfoil.jobs j
                          WHERE ((j.state = 'available'::text) AND (j.lane = u.lane) AND (j.priority = p.priority) AND (j.run_at <= now()))
                         LIMIT 10000) due)
                 LIMIT 10000) few) AS due,
    ( SELECT min(o.run_at) AS min
           FROM (generate_series(0, 3) p(priority)
             CROSS JOIN LATERAL ( SELECT j.run_at
                   FROM counterfoil.jobs j
                  WHERE ((j.state = 'available'::text) AND (j.lane = u.lane) AND (j.priority = p.priority))
                  ORDER BY j.run_at
                 LIMIT 1) o)) AS oldest_run_at
   FROM used u
  WHERE (u.lane IS NOT NULL);

ALTER TABLE counterfoil.lane_backlogs OWNER TO counterfoil_owner;

COMMENT ON VIEW counterfoil.lane_backlogs IS 'Private: what waits in each lane; a count of 10000 means that many or more.';

CREATE VIEW counterfoil.app_store_health AS
 SELECT g.lane,
    g.bundle_id,
    g.route,
    g.environment,
    g.state,
    g.closed_by,
    g.why,
    g.closed_at,
    g.probe_at,
    g.failed_probes,
    COALESCE(b.waiting, (0)::bigint) AS waiting_jobs,
    COALESCE(b.due, (0)::bigint) AS due_jobs,
    b.oldest_run_at,
    COALESCE(f.unavailable, (0)::bigint) AS unavailable_last_hour,
    COALESCE(f.rate_limited, (0)::bigint) AS rate_limited_last_hour,
    COALESCE(f.misconfigured, (0)::bigint) AS misconfigured_last_hour,
    COALESCE(f.answered, (0)::bigint) AS answered_last_hour
   FROM ((counterfoil.gates g
     LEFT JOIN counterfoil.lane_backlogs b ON ((b.lane = g.lane)))
     LEFT JOIN ( SELECT m.bundle_id,
            m.environment,
            (sum(m.attempts) FILTER (WHERE (m.reason = 'app_store_unavailable'::text)))::bigint AS unavailable,
            (sum(m.attempts) FILTER (WHERE (m.reason = 'rate_limited'::text)))::bigint AS rate_limited,
            (sum(m.attempts) FILTER (WHERE (m.reason = 'configuration'::text)))::bigint AS misconfigured,
            (sum(m.attempts) FILTER (WHERE (m.outcome = ANY (ARRAY['fulfilled'::text, 'refunded'::text, 'rejected'::text, 'review'::text, 'unchanged'::text]))))::bigint AS answered
           FROM counterfoil.attempt_minutes m
          WHERE (m.minute >= (now() - '01:00:00'::interval))
          GROUP BY m.bundle_id, m.environment) f ON (((f.bundle_id = g.bundle_id) AND (f.environment = g.environment))));

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

CREATE TABLE counterfoil.attempts_default (
    job_id bigint NOT NULL,
    order_id text NOT NULL COLLATE pg_catalog."C",
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
    CONSTRAINT disposition_is_known CHECK ((disposition = ANY (ARRAY['complete'::text, 'retry'::text, 'snooze'::text, 'release'::text, 'discard'::text, 'rescue'::text, 'cancel'::text])))
);

ALTER TABLE counterfoil.attempts_default OWNER TO counterfoil_owner;

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
    CONSTRAINT budgeted_endpoint_is_known CHECK ((endpoint = ANY (ARRAY['get_transaction_info'::text, 'get_transaction_info_of_bare_id'::text, 'finish_transaction'::text, 'get_notification_history'::text])))
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
    id bigint NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    kind text NOT NULL,
    order_id text COLLATE pg_catalog."C",
    order_version integer,
    transaction_id text COLLATE pg_catalog."C",
    environment text,
    bundle_id text COLLATE pg_catalog."C",
    reason text,
    share integer
)
PARTITION BY RANGE (at);

ALTER TABLE counterfoil.changes OWNER TO counterfoil_owner;

COMMENT ON TABLE counterfoil.changes IS 'The feed: one change of an order or a payment. Append-only; partitioned by month.';

CREATE SEQUENCE counterfoil.change_ids
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;

ALTER TABLE counterfoil.change_ids OWNER TO counterfoil_owner;

ALTER SEQUENCE counterfoil.change_ids OWNED BY counterfoil.changes.id;

CREATE TABLE counterfoil.changes_2026_11 (
    id bigint DEFAULT nextval('counterfoil.change_ids'::regclass) NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    kind text NOT NULL,
    order_id text COLLATE pg_catalog."C",
    order_version integer,
    transaction_id text COLLATE pg_catalog."C",
    environment text,
    bundle_id text COLLATE pg_catalog."C",
    reason text,
    share integer
);

ALTER TABLE counterfoil.changes_2026_11 OWNER TO counterfoil_owner;

CREATE TABLE counterfoil.changes_2026_12 (
    id bigint DEFAULT nextval('counterfoil.change_ids'::regclass) NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    kind text NOT NULL,
    order_id text COLLATE pg_catalog."C",
    order_version integer,
    transaction_id text COLLATE pg_catalog."C",
    environment text,
    bundle_id text COLLATE pg_catalog."C",
    reason text,
    share integer
);

ALTER TABLE counterfoil.changes_2026_12 OWNER TO counterfoil_owner;

CREATE TABLE counterfoil.changes_2027_01 (
    id bigint DEFAULT nextval('counterfoil.change_ids'::regclass) NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    kind text NOT NULL,
    order_id text COLLATE pg_catalog."C",
    order_version integer,
    transaction_id text COLLATE pg_catalog."C",
    environment text,
    bundle_id text COLLATE pg_catalog."C",
    reason text,
    share integer
);

ALTER TABLE counterfoil.changes_2027_01 OWNER TO counterfoil_owner;

CREATE TABLE counterfoil.changes_default (
    id bigint DEFAULT nextval('counterfoil.change_ids'::regclass) NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    kind text NOT NULL,
    order_id text COLLATE pg_catalog."C",
    order_version integer,
    transaction_id text COLLATE pg_catalog."C",
    environment text,
    bundle_id text COLLATE pg_catalog."C",
    reason text,
    share integer
);

ALTER TABLE counterfoil.changes_default OWNER TO counterfoil_owner;

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

CREATE TABLE counterfoil.feed (
    one_row boolean DEFAULT true NOT NULL,
    server text NOT NULL,
    dropped_xid xid8 DEFAULT '0'::xid8 NOT NULL,
    CONSTRAINT there_is_one_feed CHECK (one_row)
);

ALTER TABLE counterfoil.feed OWNER TO counterfoil_owner;

COMMENT ON TABLE counterfoil.feed IS 'Which server the changes are of, and how far they were dropped.';

ALTER TABLE counterfoil.gates ALTER COLUMN lane ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME counterfoil.gates_lane_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE VIEW counterfoil.grants AS
 SELECT p.order_id,
    p.bundle_id,
    p.environment,
    COALESCE(p.payment_key, ('transaction:'::text || p.transaction_id)) AS grant_key,
    p.transaction_id,
    p.original_transaction_id,
    p.web_order_line_item_id,
    p.product_id,
    p.product_kind,
    p.quantity,
    p.purchased_at,
    p.expires_at,
    p.app_account_token,
    p.account_id,
    p.job_id,
    p.granted_at
   FROM counterfoil.payments p
  WHERE (p.order_id IS NOT NULL);

ALTER TABLE counterfoil.grants OWNER TO counterfoil_owner;

COMMENT ON VIEW counterfoil.grants IS 'The grants: which verified transaction paid for which order. The facts are Apple''s; a grant never changes.';

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
    CONSTRAINT notification_outcome_is_known CHECK ((outcome = ANY (ARRAY['recorded'::text, 'stored'::text]))),
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

CREATE VIEW counterfoil.notification_silence AS
 SELECT a.bundle_id,
    e.environment,
    l.received_at AS last_at,
    l.type AS last_type,
    h.received_at AS last_from_history_at
   FROM (((counterfoil.apps a
     CROSS JOIN ( VALUES ('production'::text), ('sandbox'::text)) e(environment))
     LEFT JOIN LATERAL ( SELECT n.received_at,
            n.type
           FROM counterfoil.notifications n
          WHERE ((n.bundle_id = a.bundle_id) AND (n.environment = e.environment))
          ORDER BY n.received_at DESC
         LIMIT 1) l ON (true))
     LEFT JOIN LATERAL ( SELECT n.received_at
           FROM ( SELECT x.received_at,
                    x.source
                   FROM counterfoil.notifications x
                  WHERE ((x.bundle_id = a.bundle_id) AND (x.environment = e.environment))
                  ORDER BY x.received_at DESC
                 LIMIT 1000) n
          WHERE (n.source = 'history'::text)
         LIMIT 1) h ON (true));

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

CREATE VIEW counterfoil.standing_privileges AS
 SELECT k.object,
    k.column_name,
    COALESCE((r.rolname)::text, 'public'::text) AS role,
    a.privilege_type AS privilege,
    (k.kind = 'routine'::text) AS is_of_a_routine,
    ((a.grantee = (0)::oid) OR (r.rolname = ANY (ARRAY['counterfoil_owner'::name, 'counterfoil_backend'::name, 'counterfoil_worker'::name, 'counterfoil_support'::name, 'counterfoil_reader'::name]))) AS is_of_our_role
   FROM ((( SELECT 'schema'::text AS kind,
            'schema counterfoil'::text AS object,
            ''::text AS column_name,
            n.nspowner AS owner,
            n.nspacl AS acl
           FROM pg_namespace n
          WHERE (n.nspname = 'counterfoil'::name)
        UNION ALL
         SELECT 'table'::text,
            format('%s counterfoil.%I'::text,
                CASE c.relkind
                    WHEN 'S'::"char" THEN 'sequence'::text
                    ELSE 'table'::text
                END, c.relname) AS format,
            ''::text,
            c.relowner,
            c.relacl
           FROM pg_class c
          WHERE ((c.relnamespace = ('counterfoil'::regnamespace)::oid) AND (c.relkind = ANY (ARRAY['r'::"char", 'p'::"char", 'v'::"char", 'S'::"char"])))
        UNION ALL
         SELECT 'table'::text,
            format('table counterfoil.%I'::text, c.relname) AS format,
            (t.attname)::text AS attname,
            c.relowner,
            t.attacl
           FROM (pg_class c
             JOIN ( SELECT a_1.attrelid,
                    a_1.attname,
                    a_1.attacl
                   FROM pg_attribute a_1
                  WHERE ((a_1.attacl IS NOT NULL) AND (NOT a_1.attisdropped))
                 OFFSET 0) t ON ((t.attrelid = c.oid)))
          WHERE ((c.relnamespace = ('counterfoil'::regnamespace)::oid) AND (c.relkind = ANY (ARRAY['r'::"char", 'p'::"char", 'v'::"char"])))
        UNION ALL
         SELECT 'routine'::text,
            (
                CASE p.prokind
                    WHEN 'p'::"char" THEN 'procedure '::text
                    ELSE 'function '::text
                END || (p.oid)::regprocedure),
            ''::text,
            p.proowner,
            COALESCE(p.proacl, acldefault('f'::"char", p.proowner)) AS "coalesce"
           FROM pg_proc p
          WHERE (p.pronamespace = ('counterfoil'::regnamespace)::oid)) k
     CROSS JOIN LATERAL aclexplode(k.acl) a(grantor, grantee, privilege_type, is_grantable))
     LEFT JOIN pg_roles r ON ((r.oid = a.grantee)))
  WHERE ((a.grantee <> k.owner) AND ((a.grantee = (0)::oid) OR (r.oid IS NOT NULL)));

ALTER TABLE counterfoil.standing_privileges OWNER TO counterfoil_owner;

COMMENT ON VIEW counterfoil.standing_privileges IS 'Private: the privileges that roles have on the schema and on what is in it.';

CREATE VIEW counterfoil.privilege_differences AS
 WITH standing AS MATERIALIZED (
         SELECT s.object,
            s.role,
            s.privilege,
            s.column_name,
            s.is_of_our_role,
            s.is_of_a_routine
           FROM counterfoil.standing_privileges s
        )
 SELECT d.object,
    d.role,
    d.is_missing,
    format('%s %s on %s %s %s'::text,
        CASE
            WHEN d.is_missing THEN 'grant'::text
            ELSE 'revoke'::text
        END, string_agg((lower(d.privilege) || COALESCE(((' ('::text || d.columns) || ')'::text), ''::text)), ', '::text ORDER BY d.privilege, d.columns), d.object,
        CASE
            WHEN d.is_missing THEN 'to'::text
            ELSE 'from'::text
        END,
        CASE d.role
            WHEN 'public'::text THEN d.role
            ELSE quote_ident(d.role)
        END) AS statement
   FROM ( SELECT e.object,
            e.role,
            e.is_missing,
            e.privilege,
            string_agg(quote_ident(e.column_name), ', '::text ORDER BY e.column_name) FILTER (WHERE (e.column_name <> ''::text)) AS columns
           FROM ( SELECT p.object,
                    p.role,
                    p.privilege,
                    p.column_name,
                    true AS is_missing
                   FROM counterfoil.privileges p
                  WHERE (NOT (EXISTS ( SELECT
                           FROM standing s
                          WHERE ((s.object = p.object) AND (s.role = p.role) AND (s.privilege = p.privilege) AND (s.column_name = p.column_name)))))
                UNION ALL
                 SELECT s.object,
                    s.role,
                    s.privilege,
                    s.column_name,
                    false
                   FROM standing s
                  WHERE ((s.is_of_our_role OR s.is_of_a_routine) AND (NOT (EXISTS ( SELECT
                           FROM counterfoil.privileges p
                          WHERE ((p.object = s.object) AND (p.role = s.role) AND (p.privilege = s.privilege) AND (p.column_name = s.column_name))))) AND (EXISTS ( SELECT
                           FROM counterfoil.privileges)))) e
          GROUP BY e.object, e.role, e.is_missing, e.privilege, (e.column_name = ''::text)) d
  GROUP BY d.object, d.role, d.is_missing;

ALTER TABLE counterfoil.privilege_differences OWNER TO counterfoil_owner;

COMMENT ON VIEW counterfoil.privilege_differences IS 'Private: what privileges differ from what the last migration granted, each with the statement that puts it right.';

CREATE TABLE counterfoil.proofs (
    job_id bigint NOT NULL,
    order_id text NOT NULL COLLATE pg_catalog."C",
    account_id text NOT NULL COLLATE pg_catalog."C",
    transaction_id text COLLATE pg_catalog."C",
    proof text NOT NULL,
    proof_hash bytea NOT NULL,
    proof_bytes integer NOT NULL,
    standing text NOT NULL,
    reason text NOT NULL,
    decides_order boolean DEFAULT false NOT NULL,
    day_bytes bigint DEFAULT 0 NOT NULL,
    kept_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT kept_proof_is_no_longer_than_the_whole CHECK ((octet_length(proof) <= proof_bytes)),
    CONSTRAINT proof_hash_has_32_bytes CHECK ((octet_length(proof_hash) = 32)),
    CONSTRAINT proof_standing_is_known CHECK ((standing = ANY (ARRAY['verified'::text, 'recognised'::text, 'unknown'::text, 'unjudged'::text])))
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

CREATE VIEW counterfoil.rejected_accounts AS
 WITH days AS MATERIALIZED (
         SELECT s.bundle_id,
            s.reason,
            s.account_id,
            s.minute
           FROM counterfoil.suspicion_minutes s
          WHERE (s.minute >= (now() - '48:00:00'::interval))
          ORDER BY s.minute DESC
         LIMIT 5000
        ), seen AS (
         SELECT b.bundle_id,
            s.reason,
            s.account_id,
            (m.minute > (date_trunc('minute'::text, now()) - '01:00:00'::interval)) AS last_hour,
            (m.minute <= (date_trunc('minute'::text, now()) - '01:00:00'::interval)) AS hour_before,
            false AS last_day,
            false AS day_before
           FROM ((counterfoil.apps b
             CROSS JOIN generate_series((date_trunc('minute'::text, now()) - '01:59:00'::interval), date_trunc('minute'::text, now()), '00:01:00'::interval) m(minute))
             CROSS JOIN LATERAL ( SELECT f.reason,
                    f.account_id
                   FROM counterfoil.suspicion_minutes f
                  WHERE ((f.minute = m.minute) AND (f.bundle_id = b.bundle_id))
                  ORDER BY f.account_id, f.reason
                 LIMIT 500) s)
        UNION ALL
         SELECT d.bundle_id,
            d.reason,
            d.account_id,
            false,
            false,
            (d.minute >= (now() - '24:00:00'::interval)),
            (d.minute < (now() - '24:00:00'::interval))
           FROM days d
        ), accounts AS (
         SELECT s.bundle_id,
            s.reason,
            s.account_id,
            bool_or(s.last_hour) AS last_hour,
            bool_or(s.hour_before) AS hour_before,
            bool_or(s.last_day) AS last_day,
            bool_or(s.day_before) AS day_before
           FROM seen s
          GROUP BY s.bundle_id, s.reason, s.account_id
        ), counted AS (
         SELECT a.bundle_id,
            a.reason,
            count(*) FILTER (WHERE a.last_hour) AS last_hour,
            count(*) FILTER (WHERE a.hour_before) AS hour_before,
                CASE
                    WHEN w.are_whole THEN count(*) FILTER (WHERE a.last_day)
                    ELSE NULL::bigint
                END AS last_day,
                CASE
                    WHEN w.are_whole THEN count(*) FILTER (WHERE a.day_before)
                    ELSE NULL::bigint
                END AS day_before
           FROM (accounts a
             CROSS JOIN ( SELECT (count(*) < 5000) AS are_whole
                   FROM days) w)
          GROUP BY a.bundle_id, a.reason, w.are_whole
        ), growth AS (
         SELECT b.bundle_id,
            GREATEST((1)::numeric, (((1)::numeric + h.last_hour) / ((1)::numeric + h.hour_before))) AS by_hour,
            GREATEST((1)::numeric, (((1)::numeric + d.last_day) / ((1)::numeric + d.day_before))) AS by_day
           FROM ((counterfoil.apps b
             CROSS JOIN LATERAL ( SELECT COALESCE(sum(m.attempts) FILTER (WHERE (m.minute > (date_trunc('minute'::text, now()) - '01:00:00'::interval))), (0)::numeric) AS last_hour,
                    COALESCE(sum(m.attempts) FILTER (WHERE (m.minute <= (date_trunc('minute'::text, now()) - '01:00:00'::interval))), (0)::numeric) AS hour_before
                   FROM counterfoil.attempt_minutes m
                  WHERE ((m.minute > (date_trunc('minute'::text, now()) - '02:00:00'::interval)) AND (m.bundle_id = b.bundle_id) AND (m.outcome = 'fulfilled'::text))) h)
             CROSS JOIN LATERAL ( SELECT COALESCE(sum(m.attempts) FILTER (WHERE (m.hour >= (now() - '24:00:00'::interval))), (0)::numeric) AS last_day,
                    COALESCE(sum(m.attempts) FILTER (WHERE (m.hour < (now() - '24:00:00'::interval))), (0)::numeric) AS day_before
                   FROM counterfoil.attempt_hours m
                  WHERE ((m.hour >= (now() - '48:00:00'::interval)) AND (m.bundle_id = b.bundle_id) AND (m.outcome = 'fulfilled'::text))) d)
          WHERE (b.bundle_id IN ( SELECT c_1.bundle_id
                   FROM counted c_1))
        )
 SELECT c.bundle_id,
    c.reason,
    c.last_hour,
    c.hour_before,
    c.last_day,
    c.day_before,
    (((c.last_hour)::numeric >= ((2)::numeric * e.by_hour)) AND ((((c.last_hour)::numeric - e.by_hour) ^ (2)::numeric) > ((9)::numeric * ((c.last_hour)::numeric + e.by_hour)))) AS rises_by_hour,
    COALESCE((((c.last_day)::numeric >= ((2)::numeric * e.by_day)) AND ((((c.last_day)::numeric - e.by_day) ^ (2)::numeric) > ((9)::numeric * ((c.last_day)::numeric + e.by_day)))), false) AS rises_by_day
   FROM ((counted c
     JOIN growth g ON ((g.bundle_id = c.bundle_id)))
     CROSS JOIN LATERAL ( SELECT (((c.hour_before + 1))::numeric * g.by_hour) AS by_hour,
            (((c.day_before + 1))::numeric * g.by_day) AS by_day) e);

ALTER TABLE counterfoil.rejected_accounts OWNER TO counterfoil_owner;

COMMENT ON VIEW counterfoil.rejected_accounts IS 'Accounts that had a proof rejected, or held back as another''s, by app and reason: the last hour and day beside the time before, and whether that is more than chance.';

CREATE VIEW counterfoil.replication AS
 WITH facts AS (
         SELECT f.is_standby,
            f.is_streaming,
            f.sees_sessions,
            f.sync_names,
            f.needed,
            f.standbys,
            f.confirming,
            f.list,
            f.behind,
            f.flush_lag,
            f.waiting,
            f.waits_for,
            f.slots,
            f.slot_bytes,
            f.lax,
                CASE f.standbys
                    WHEN 1 THEN '1 standby'::text
                    ELSE (f.standbys || ' standbys'::text)
                END AS counted,
                CASE f.waiting
                    WHEN 0 THEN 'no session waits for it'::text
                    WHEN 1 THEN ('1 session waits for it, for '::text || date_trunc('second'::text, f.waits_for))
                    ELSE format('%s sessions wait for it, the longest for %s'::text, f.waiting, date_trunc('second'::text, f.waits_for))
                END AS waiters
           FROM counterfoil.replication_facts() f(is_standby, is_streaming, sees_sessions, sync_names, needed, standbys, confirming, list, behind, flush_lag, waiting, waits_for, slots, slot_bytes, lax)
        ), judged AS (
         SELECT 1 AS place,
                CASE
                    WHEN f.is_standby THEN
                    CASE
                        WHEN (f.is_streaming OR (NOT f.sees_sessions)) THEN 'ok'::text
                        ELSE 'warning'::text
                    END
                    WHEN ((f.needed IS NULL) AND (f.standbys = 0)) THEN 'ok'::text
                    WHEN ((f.needed IS NULL) OR (NOT f.sees_sessions)) THEN 'warning'::text
                    WHEN (f.confirming < f.needed) THEN 'critical'::text
                    ELSE 'ok'::text
                END AS level,
                CASE
                    WHEN (f.is_standby AND (NOT f.sees_sessions)) THEN 'this server is a standby'::text
                    WHEN (f.is_standby AND f.is_streaming) THEN 'this server is a standby, and streams'::text
                    WHEN f.is_standby THEN 'this server is a standby, and streams from nobody'::text
                    WHEN ((f.needed IS NULL) AND (f.standbys = 0)) THEN 'none: no standby streams, synchronous_standby_names is empty; what is acknowledged is on this server alone'::text
                    WHEN (NOT f.sees_sessions) THEN format('%s; %s connected, and whether they confirm is hidden'::text,
                    CASE
                        WHEN (f.needed IS NULL) THEN 'asynchronous'::text
                        ELSE ('synchronous_standby_names = '::text || f.sync_names)
                    END, f.counted)
                    WHEN (f.needed IS NULL) THEN format('asynchronous: %s (%s), %s behind; a failover may lose what was acknowledged just before it'::text, f.counted, f.list, pg_size_pretty(f.behind))
                    WHEN (f.confirming < f.needed) THEN format('synchronous, and nothing can be settled: a commit waits for %s (synchronous_standby_names = %s), and %s; %s'::text,
                    CASE f.needed
                        WHEN 1 THEN '1 standby'::text
                        ELSE (f.needed || ' standbys'::text)
                    END, f.sync_names, (
                    CASE f.confirming
                        WHEN 0 THEN 'none confirms'::text
                        ELSE (('only '::text || f.confirming) || ' of them'::text)
                    END || COALESCE(((' ('::text || f.list) || ')'::text), ''::text)), f.waiters)
                    ELSE format('synchronous: a commit waits for %s of %s (%s), %s behind; %s'::text, f.needed, f.counted, f.list, pg_size_pretty(f.behind), f.waiters)
                END AS finding,
                CASE
                    WHEN f.is_standby THEN 'see whether its primary is up, and primary_conninfo'::text
                    WHEN (NOT f.sees_sessions) THEN 'as a superuser: grant pg_monitor to counterfoil_owner'::text
                    WHEN (f.needed IS NULL) THEN 'set synchronous_standby_names (FAILOVER.md); a standby for reading, which is never promoted, needs none'::text
                    ELSE 'start that standby (FAILOVER.md, "No standby confirms")'::text
                END AS mend
           FROM facts f
        UNION ALL
         SELECT 2,
            'critical'::text,
            ('a commit has waited for '::text || date_trunc('second'::text, f.waits_for)),
            'see that standby''s disk and network (FAILOVER.md, "No standby confirms")'::text
           FROM facts f
          WHERE ((f.waits_for >= '00:00:05'::interval) AND (f.confirming >= f.needed))
        UNION ALL
         SELECT 3,
            'warning'::text,
            concat_ws(', '::text, (('a standby is '::text || pg_size_pretty(f.behind)) || ' behind'::text), (('writes the log '::text || date_trunc('second'::text, f.flush_lag)) || ' later'::text)) AS concat_ws,
            'see its disk and network'::text
           FROM facts f
          WHERE ((f.standbys > 0) AND ((f.behind > 268435456) OR (f.flush_lag >= '00:00:30'::interval)))
        UNION ALL
         SELECT 4,
                CASE
                    WHEN (f.slot_bytes > (20 * (1073741824)::bigint)) THEN 'critical'::text
                    ELSE 'warning'::text
                END AS "case",
            ('inactive slots keep this server''s log: '::text || f.slots),
            'start the standby or the reader of that slot; if it is gone for good: select pg_drop_replication_slot(NAME)'::text
           FROM facts f
          WHERE (f.slots IS NOT NULL)
        UNION ALL
         SELECT 5,
            'warning'::text,
            ('a commit doesn''t wait for a standby where synchronous_commit is lower than on: '::text || f.lax),
            'reset synchronous_commit there'::text
           FROM facts f
          WHERE ((f.lax IS NOT NULL) AND ((f.needed IS NOT NULL) OR (f.standbys > 0)))
        )
 SELECT
        CASE
            WHEN bool_or((j.level = 'critical'::text)) THEN 'critical'::text
            WHEN bool_or((j.level = 'warning'::text)) THEN 'warning'::text
            ELSE 'ok'::text
        END AS level,
    string_agg(j.finding, '; '::text ORDER BY j.place) AS finding,
    string_agg(j.mend, '; '::text ORDER BY j.place) FILTER (WHERE (j.level <> 'ok'::text)) AS mend
   FROM judged j;

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

CREATE VIEW counterfoil.worker_activity AS
 SELECT COALESCE(w.id, h.worker_id) AS worker_id,
    w.name,
    w.host,
    w.pid,
    w.version,
    w.slots,
    w.started_at,
    w.heartbeat_at,
        CASE
            WHEN (w.id IS NULL) THEN 'gone'::text
            WHEN (w.heartbeat_at < (now() - '00:01:00'::interval)) THEN 'silent'::text
            ELSE 'alive'::text
        END AS state,
    COALESCE(h.jobs, (0)::bigint) AS jobs_held,
    h.oldest_claimed_at,
    h.next_lease_expires_at,
    COALESCE(h.expired, (0)::bigint) AS leases_expired
   FROM (counterfoil.workers w
     FULL JOIN ( SELECT j.worker_id,
            count(*) AS jobs,
            min(j.claimed_at) AS oldest_claimed_at,
            min(j.lease_expires_at) AS next_lease_expires_at,
            count(*) FILTER (WHERE (j.lease_expires_at <= now())) AS expired
           FROM counterfoil.jobs j
          WHERE (j.lease_expires_at > '-infinity'::timestamp with time zone)
          GROUP BY j.worker_id) h ON ((h.worker_id = w.id)));

ALTER TABLE counterfoil.worker_activity OWNER TO counterfoil_owner;

COMMENT ON VIEW counterfoil.worker_activity IS 'Each worker with its last sign of life and the jobs that it holds; one that holds jobs and has no row is gone.';

CREATE VIEW counterfoil.health AS
 WITH privilege_difference AS MATERIALIZED (
         SELECT d.object,
            d.role,
            d.is_missing,
            d.statement
           FROM counterfoil.privilege_differences d
        ), found AS (
         SELECT 'oldest snapshot'::text AS subject,
                CASE
                    WHEN ((s.held_for >= '01:00:00'::interval) OR (s.transactions_behind > 10000000)) THEN 'critical'::text
                    WHEN ((s.held_for >= '00:05:00'::interval) OR (s.transactions_behind > 1000000)) THEN 'warning'::text
                    ELSE 'ok'::text
                END AS level,
                CASE
                    WHEN (s.holder IS NULL) THEN 'nobody holds one'::text
                    ELSE concat_ws(' '::text, s.holder, ('of process '::text || s.pid), ('as '::text || (s.role)::text), ('for '::text || date_trunc('second'::text, s.held_for)), format('(%s transactions behind)'::text, s.transactions_behind))
                END AS finding,
                CASE
                    WHEN (s.holder ~~ 'replication slot %'::text) THEN 'see why its replica lags; select pg_drop_replication_slot(name) gives the replica up'::text
                    WHEN (s.holder ~~ 'prepared transaction %'::text) THEN 'commit prepared or rollback prepared, in its database'::text
                    WHEN (s.holder = 'standby'::text) THEN 'see what runs for long on that standby'::text
                    ELSE 'end that transaction; select pg_terminate_backend(pid) does it by force'::text
                END AS mend
           FROM (( SELECT) always
             LEFT JOIN LATERAL ( SELECT snapshot_holders.holder,
                    snapshot_holders.pid,
                    snapshot_holders.role,
                    snapshot_holders.held_for,
                    snapshot_holders.transactions_behind
                   FROM counterfoil.snapshot_holders() snapshot_holders(holder, pid, role, held_for, transactions_behind)
                 LIMIT 1) s ON (true))
        UNION ALL
         SELECT ('dead rows of '::text || (t.relname)::text),
                CASE
                    WHEN ((t.unexplained > 50000) AND (t.unexplained > (2 * t.n_live_tup))) THEN 'critical'::text
                    WHEN ((t.unexplained > 10000) AND ((t.unexplained)::numeric > (0.5 * (t.n_live_tup)::numeric))) THEN 'warning'::text
                    ELSE 'ok'::text
                END AS "case",
            format('%s dead beside %s live, last autovacuum %s'::text, t.n_dead_tup, t.n_live_tup, COALESCE((date_trunc('second'::text, t.last_autovacuum))::text, 'never'::text)) AS format,
            'look at the oldest snapshot; then see whether autovacuum is on and has workers to spare'::text
           FROM ( SELECT s.relid,
                    s.schemaname,
                    s.relname,
                    s.seq_scan,
                    s.seq_tup_read,
                    s.idx_scan,
                    s.idx_tup_fetch,
                    s.n_tup_ins,
                    s.n_tup_upd,
                    s.n_tup_del,
                    s.n_tup_hot_upd,
                    s.n_live_tup,
                    s.n_dead_tup,
                    s.n_mod_since_analyze,
                    s.n_ins_since_vacuum,
                    s.last_vacuum,
                    s.last_autovacuum,
                    s.last_analyze,
                    s.last_autoanalyze,
                    s.vacuum_count,
                    s.autovacuum_count,
                    s.analyze_count,
                    s.autoanalyze_count,
                    (s.n_dead_tup -
                        CASE
                            WHEN (GREATEST(s.last_vacuum, s.last_autovacuum) > (now() - ((3)::double precision * (current_setting('autovacuum_naptime'::text))::interval))) THEN (3 * s.n_ins_since_vacuum)
                            ELSE (0)::bigint
                        END) AS unexplained
                   FROM pg_stat_user_tables s
                  WHERE ((s.schemaname = 'counterfoil'::name) AND (s.relname = ANY (ARRAY['jobs'::name, 'orders'::name, 'workers'::name, 'budgets'::name, 'gates'::name, 'roll_up_marks'::name])))) t
        UNION ALL
         SELECT ('index '::text || (i.index_name)::text),
                CASE
                    WHEN ((i.bytes > 67108864) AND (i.bytes > (10 * i.packed_bytes))) THEN 'warning'::text
                    ELSE 'ok'::text
                END AS "case",
            format('%s, %s times its size if packed'::text, pg_size_pretty(i.bytes), round(((i.bytes)::numeric / (i.packed_bytes)::numeric), 1)) AS format,
            format('reindex index concurrently counterfoil.%I'::text, i.index_name) AS format
           FROM counterfoil.index_sizes() i(table_name, index_name, bytes, packed_bytes)
          WHERE ((i.table_name = 'jobs'::name) OR ((i.bytes > 67108864) AND (i.bytes > (10 * i.packed_bytes))))
        UNION ALL
         SELECT 'oldest job'::text,
                CASE
                    WHEN (b.waited >= '00:10:00'::interval) THEN 'critical'::text
                    WHEN (b.waited >= '00:01:00'::interval) THEN 'warning'::text
                    ELSE 'ok'::text
                END AS "case",
            COALESCE(('due for '::text || date_trunc('second'::text, b.waited)), 'nothing is due'::text) AS "coalesce",
            'start more workers, or look at the log of those that run'::text
           FROM ( SELECT (now() - min(x.oldest_run_at)) AS waited
                   FROM (counterfoil.lane_backlogs x
                     JOIN counterfoil.gates y ON ((y.lane = x.lane)))
                  WHERE ((y.state = 'open'::text) AND (x.due > 0))) b
        UNION ALL
         SELECT ('parked jobs of lane '::text || g.lane),
                CASE
                    WHEN (g.closed_by = 'configuration'::text) THEN 'critical'::text
                    ELSE 'warning'::text
                END AS "case",
            format('%s%s wait behind the gate of %s for %s, closed by %s%s'::text, COALESCE(b.waiting, (0)::bigint),
                CASE
                    WHEN (b.waiting = 10000) THEN ' or more'::text
                    ELSE ''::text
                END, concat_ws(' '::text, g.route, g.environment), g.bundle_id, g.closed_by, COALESCE((': '::text || g.why), ''::text)) AS format,
                CASE g.closed_by
                    WHEN 'configuration'::text THEN format('mend the credential that the reason names, then: counterfoil gates open %s --why WHY'::text, g.lane)
                    WHEN 'operator'::text THEN format('counterfoil gates open %s --why WHY'::text, g.lane)
                    ELSE 'it opens by itself when Apple answers again'::text
                END AS "case"
           FROM (counterfoil.gates g
             LEFT JOIN counterfoil.lane_backlogs b ON ((b.lane = g.lane)))
          WHERE ((g.state = 'closed'::text) AND ((b.lane IS NOT NULL) OR (g.closed_by = 'operator'::text)))
        UNION ALL
         SELECT 'privileges'::text,
                CASE
                    WHEN bool_or(d.is_missing) THEN 'critical'::text
                    WHEN (count(*) > 0) THEN 'warning'::text
                    ELSE 'ok'::text
                END AS "case",
                CASE
                    WHEN (count(*) = 0) THEN 'each role has those that migrate grants'::text
                    ELSE format('%s differ from what migrate grants, such as: %s'::text, count(*), (array_agg(d.statement ORDER BY d.is_missing DESC, d.object, d.role))[1])
                END AS format,
            'counterfoil migrate grants them anew; counterfoil doctor lists all'::text
           FROM privilege_difference d
        UNION ALL
         SELECT 'refused settlements'::text,
                CASE
                    WHEN (r.jobs > 0) THEN 'critical'::text
                    ELSE 'ok'::text
                END AS "case",
                CASE
                    WHEN (r.jobs = 0) THEN 'no paid order waits because the database refuses it'::text
                    ELSE format('%s%s paid orders wait: the database refuses them, since %s%s'::text, r.jobs,
                    CASE
                        WHEN (r.jobs = 1000) THEN ' or more'::text
                        ELSE ''::text
                    END, COALESCE((date_trunc('second'::text, a.since))::text, 'a moment'::text), COALESCE((': '::text || a.message), ''::text))
                END AS format,
            ((
                CASE
                    WHEN (EXISTS ( SELECT
                       FROM privilege_difference d
                      WHERE d.is_missing)) THEN 'counterfoil migrate (see privileges)'::text
                    ELSE 'mend what the message names'::text
                END || ' (RUNBOOK.md, "The database refuses settlements"), then: '::text) || 'counterfoil jobs retry --reason settlement_refused --why WHY'::text)
           FROM (( SELECT count(*) AS jobs,
                    (array_agg(f_1.order_id ORDER BY f_1.id))[1] AS order_id
                   FROM ( SELECT j.id,
                            j.order_id
                           FROM counterfoil.jobs j
                          WHERE ((j.reason = 'settlement_refused'::text) AND (j.state <> 'discarded'::text))
                          ORDER BY j.id
                         LIMIT 1000) f_1) r
             LEFT JOIN LATERAL ( SELECT min(t.finished_at) AS since,
                    (array_agg(t.message ORDER BY t.finished_at DESC))[1] AS message
                   FROM counterfoil.attempts t
                  WHERE ((t.order_id = r.order_id) AND (t.reason = 'settlement_refused'::text))) a ON (true))
        UNION ALL
         SELECT ('refused notifications'::text || COALESCE((((' of '::text || r.bundle_id) || ' as '::text) || r.reason), ''::text)),
                CASE
                    WHEN (r.reason IS NULL) THEN 'ok'::text
                    ELSE 'warning'::text
                END AS "case",
                CASE
                    WHEN (r.reason IS NULL) THEN 'none within a day'::text
                    ELSE format('%s, the last one %s ago'::text, r.refused, date_trunc('second'::text, (now() - r.last_at)))
                END AS format,
            'RUNBOOK.md, "Notifications stopped": who sends them? If Apple does, counterfoil notifications catch-up brings them back'::text
           FROM (( SELECT) always
             LEFT JOIN ( SELECT f_1.bundle_id,
                    f_1.reason,
                    f_1.refused,
                    f_1.first_at,
                    f_1.last_at
                   FROM counterfoil.refused_notifications f_1
                  WHERE (f_1.last_at > (now() - '1 day'::interval))) r ON (true))
        UNION ALL
         SELECT 'notifications of unknown apps'::text,
                CASE
                    WHEN (u.waiting = 0) THEN 'ok'::text
                    ELSE 'warning'::text
                END AS "case",
                CASE
                    WHEN (u.waiting = 0) THEN 'none'::text
                    ELSE format('%s%s of %s'::text, u.waiting,
                    CASE
                        WHEN (u.waiting = 2000) THEN ' or more'::text
                        ELSE ''::text
                    END, u.bundle_ids)
                END AS format,
            'add the app (counterfoil apps add), or take its address away at Apple: they are kept until then'::text
           FROM ( SELECT count(*) AS waiting,
                    string_agg(DISTINCT w.bundle_id, ', '::text) AS bundle_ids
                   FROM ( SELECT n.bundle_id
                           FROM counterfoil.notifications n
                          WHERE ((n.outcome IS NULL) AND (NOT n.is_of_an_app))
                         LIMIT 2000) w) u
        UNION ALL
         SELECT ((('notifications of '::text || s.bundle_id) || ' in '::text) || s.environment),
                CASE
                    WHEN (g.grants > (0)::numeric) THEN 'warning'::text
                    ELSE 'ok'::text
                END AS "case",
            (format('the last one (%s) came %s ago'::text, s.last_type, date_trunc('second'::text, (now() - s.last_at))) ||
                CASE
                    WHEN (g.grants > (0)::numeric) THEN format(', and %s payments were granted since'::text, g.grants)
                    ELSE ''::text
                END),
            'RUNBOOK.md, "Notifications stopped"'::text
           FROM (counterfoil.notification_silence s
             CROSS JOIN LATERAL ( SELECT COALESCE(sum(m.attempts), (0)::numeric) AS grants
                   FROM counterfoil.attempt_minutes m
                  WHERE ((m.minute > (s.last_at + '00:10:00'::interval)) AND (m.minute < (now() - '01:00:00'::interval)) AND (m.bundle_id = s.bundle_id) AND (m.environment = s.environment) AND (m.outcome = 'fulfilled'::text))) g)
          WHERE (s.last_at IS NOT NULL)
        UNION ALL
         SELECT 'workers'::text,
                CASE
                    WHEN (count(*) FILTER (WHERE (a.state = 'alive'::text)) = 0) THEN 'critical'::text
                    WHEN (count(*) FILTER (WHERE (a.state <> 'alive'::text)) > 0) THEN 'warning'::text
                    ELSE 'ok'::text
                END AS "case",
            COALESCE((format('%s alive'::text, count(*) FILTER (WHERE (a.state = 'alive'::text))) || COALESCE(('; '::text || string_agg(format('%s %s%s'::text, COALESCE(a.name, ('worker '::text || a.worker_id)), a.state, COALESCE((' since '::text || date_trunc('second'::text, a.heartbeat_at)), ''::text)), ', '::text ORDER BY a.worker_id) FILTER (WHERE (a.state <> 'alive'::text))), ''::text))) AS "coalesce",
            'start a worker, or see why its unit stopped; the jobs of a silent one are rescued by the others'::text
           FROM counterfoil.worker_activity a
          WHERE (NOT ((a.state = 'silent'::text) AND (a.jobs_held = 0) AND (EXISTS ( SELECT
                   FROM counterfoil.workers n
                  WHERE ((n.name = a.name) AND (n.host = a.host) AND (n.id > a.worker_id) AND (n.heartbeat_at >= (now() - '00:01:00'::interval)))))))
        UNION ALL
         SELECT ('rejections'::text || COALESCE((((' of '::text || r.bundle_id) || ' as '::text) || r.reason), ''::text)),
                CASE
                    WHEN (r.reason IS NULL) THEN 'ok'::text
                    WHEN (r.reason = ANY (ARRAY['already_granted'::text, 'already_owned'::text, 'granted_to_another_account'::text, 'sandbox_not_allowed'::text, 'family_shared'::text, 'assigned_seat'::text])) THEN 'warning'::text
                    ELSE 'critical'::text
                END AS "case",
                CASE
                    WHEN (r.reason IS NULL) THEN 'no reason has become more frequent'::text
                    WHEN r.rises_by_hour THEN format('%s accounts in the last hour, %s in the hour before'::text, r.last_hour, r.hour_before)
                    ELSE format('%s accounts in the last 24 hours, %s in the 24 hours before'::text, r.last_day, r.day_before)
                END AS format,
            format(('see what a client or the app''s settings changed (RUNBOOK.md, "Rejections rise"); kept proofs are judged anew by: '::text || 'counterfoil jobs retry --reason %s --bundle %s --why WHY'::text), r.reason, r.bundle_id) AS format
           FROM (( SELECT) always
             LEFT JOIN counterfoil.rejected_accounts r ON ((r.rises_by_hour OR r.rises_by_day)))
        UNION ALL
         SELECT 'discarded jobs'::text,
                CASE
                    WHEN (d.jobs > 0) THEN 'warning'::text
                    ELSE 'ok'::text
                END AS "case",
            format('%s%s were given up'::text, d.jobs,
                CASE
                    WHEN (d.jobs = 10000) THEN ' or more'::text
                    ELSE ''::text
                END) AS format,
            'counterfoil jobs list --state discarded shows why; counterfoil jobs retry or cancel decides'::text
           FROM ( SELECT count(*) AS jobs
                   FROM ( SELECT
                           FROM counterfoil.jobs j
                          WHERE (j.state = 'discarded'::text)
                          ORDER BY j.reason
                         LIMIT 10000) few) d
        UNION ALL
         SELECT 'kept proofs'::text,
                CASE
                    WHEN (p.bytes > (20 * (1073741824)::bigint)) THEN 'warning'::text
                    ELSE 'ok'::text
                END AS "case",
            (pg_size_pretty(p.bytes) || ' on the disk'::text),
            'see whose they are (RUNBOOK.md, "Proofs fill the disk"); a shorter COUNTERFOIL_PROOF_RETENTION keeps fewer'::text
           FROM ( SELECT pg_total_relation_size('counterfoil.proofs'::regclass) AS bytes) p
        UNION ALL
         SELECT 'partitions of attempts'::text,
                CASE
                    WHEN p.there THEN 'ok'::text
                    ELSE 'critical'::text
                END AS "case",
                CASE
                    WHEN p.there THEN 'the next month has one'::text
                    ELSE 'the next month has none'::text
                END AS "case",
            'a worker makes it with its next maintenance, or counterfoil migrate, unless somebody reads all of attempts, such as a backup'::text
           FROM ( SELECT (to_regclass(('counterfoil.attempts_'::text || to_char(((now() AT TIME ZONE 'UTC'::text) + '1 mon'::interval), 'YYYY_MM'::text))) IS NOT NULL) AS there) p
        UNION ALL
         SELECT 'counts'::text,
                CASE
                    WHEN (k.counted_to < (now() - '00:10:00'::interval)) THEN 'warning'::text
                    ELSE 'ok'::text
                END AS "case",
            ('counted up to '::text || date_trunc('second'::text, k.counted_to)),
            'workers count what happened; is one running?'::text
           FROM counterfoil.roll_up_marks k
        UNION ALL
         SELECT 'autovacuum'::text,
                CASE
                    WHEN (current_setting('autovacuum'::text) = 'on'::text) THEN 'ok'::text
                    ELSE 'critical'::text
                END AS "case",
            current_setting('autovacuum'::text) AS current_setting,
            'alter system set autovacuum = on, then select pg_reload_conf()'::text
        UNION ALL
         SELECT 'transaction ids'::text,
                CASE
                    WHEN (age(d.datfrozenxid) > 1500000000) THEN 'critical'::text
                    WHEN (age(d.datfrozenxid) > 1000000000) THEN 'warning'::text
                    ELSE 'ok'::text
                END AS "case",
            format('%s of 2000 million used'::text, ((age(d.datfrozenxid) / 1000000) || ' million'::text)) AS format,
            'vacuum the tables with the oldest relfrozenxid'::text
           FROM pg_database d
          WHERE (d.datname = current_database())
        UNION ALL
         SELECT 'replication'::text,
            r.level,
            r.finding,
            r.mend
           FROM counterfoil.replication r
        UNION ALL
         SELECT ('publication'::text || COALESCE((' '::text || (f_1.publication)::text), 's'::text)),
                CASE
                    WHEN (f_1.publication IS NULL) THEN 'ok'::text
                    ELSE 'critical'::text
                END AS "case",
                CASE
                    WHEN (f_1.publication IS NULL) THEN 'none stands in the way of an update'::text
                    ELSE format('it filters the %s of %s, so that the server refuses every update of that table'::text, f_1.why, f_1.table_name)
                END AS format,
            ((('alter publication '::text || quote_ident((f_1.publication)::text)) || ' drop table counterfoil.'::text) || quote_ident((f_1.table_name)::text))
           FROM (( SELECT) always
             LEFT JOIN counterfoil.filtered_publications() f_1(publication, table_name, why) ON (true))
        UNION ALL
         SELECT 'deadlocks'::text,
                CASE
                    WHEN ((d.deadlocks > 0) AND ((d.deadlocks)::numeric >= d.hours)) THEN 'warning'::text
                    ELSE 'ok'::text
                END AS "case",
            format('%s since %s'::text, d.deadlocks, date_trunc('second'::text, d.since)) AS format,
            'the server''s log has the statements; select pg_stat_reset() counts anew'::text
           FROM ( SELECT s.deadlocks,
                    t.since,
                    (EXTRACT(epoch FROM (now() - t.since)) / (3600)::numeric) AS hours
                   FROM (pg_stat_database s
                     CROSS JOIN LATERAL ( SELECT COALESCE(s.stats_reset, pg_postmaster_start_time()) AS since) t)
                  WHERE (s.datname = current_database())) d
        )
 SELECT f.subject,
    f.level,
    f.finding,
        CASE
            WHEN (f.level <> 'ok'::text) THEN f.mend
            ELSE NULL::text
        END AS mend
   FROM found f
  ORDER BY
        CASE f.level
            WHEN 'critical'::text THEN 1
            WHEN 'warning'::text THEN 2
            ELSE 3
        END, f.subject;

ALTER TABLE counterfoil.health OWNER TO counterfoil_owner;

COMMENT ON VIEW counterfoil.health IS 'What is about to hurt (level ok, warning or critical) and how to mend it: old snapshots, dead rows, bloated indexes, waiting and parked jobs, lost privileges, refused settlements, silent workers, rising rejections, much disk for kept proofs, missing partitions, replication, filtering publications, deadlocks.';

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

ALTER TABLE counterfoil.jobs ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME counterfoil.jobs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

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

CREATE VIEW counterfoil.latency AS
 SELECT h.minute,
    h.bundle_id,
    h.measure,
    h.reached[cardinality(h.reached)] AS attempts,
    counterfoil.latency_percentile(50, h.buckets, h.reached) AS p50_seconds,
    counterfoil.latency_percentile(95, h.buckets, h.reached) AS p95_seconds,
    counterfoil.latency_percentile(99, h.buckets, h.reached) AS p99_seconds
   FROM counterfoil.latency_minutes h
  WHERE (h.minute >= (now() - '24:00:00'::interval));

ALTER TABLE counterfoil.latency OWNER TO counterfoil_owner;

COMMENT ON VIEW counterfoil.latency IS 'Seconds from the upload to the first claim (pick_up), from a claim to its end (attempt) and from the upload to the grant (fulfilment), in each minute of the last 24 hours.';

CREATE VIEW counterfoil.latency_buckets AS
 SELECT m.minute,
    m.bundle_id,
    m.measure,
    b.bucket,
    (b.reached - COALESCE(m.reached[(b.place - 1)], (0)::bigint)) AS attempts
   FROM (counterfoil.latency_minutes m
     CROSS JOIN LATERAL UNNEST(m.buckets, m.reached) WITH ORDINALITY b(bucket, reached, place));

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

CREATE VIEW counterfoil.latency_by_hour AS
 SELECT h.hour,
    h.bundle_id,
    h.measure,
    h.reached[cardinality(h.reached)] AS attempts,
    counterfoil.latency_percentile(50, h.buckets, h.reached) AS p50_seconds,
    counterfoil.latency_percentile(95, h.buckets, h.reached) AS p95_seconds,
    counterfoil.latency_percentile(99, h.buckets, h.reached) AS p99_seconds
   FROM counterfoil.latency_hours h
  WHERE (h.hour >= (now() - '30 days'::interval));

ALTER TABLE counterfoil.latency_by_hour OWNER TO counterfoil_owner;

COMMENT ON VIEW counterfoil.latency_by_hour IS 'Seconds from the upload to the first claim (pick_up), from a claim to its end (attempt) and from the upload to the grant (fulfilment), in each hour of the last 30 days.';

CREATE TABLE counterfoil.migrations (
    id integer NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    breaking boolean NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

ALTER TABLE counterfoil.migrations OWNER TO counterfoil_owner;

COMMENT ON TABLE counterfoil.migrations IS 'One row a migration that this database has had.';

ALTER TABLE counterfoil.notifications ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME counterfoil.notifications_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE VIEW counterfoil.open_reviews AS
 SELECT o.order_id,
    o.bundle_id,
    o.product_id,
    o.account_id,
    o.state,
    o.reason,
    o.attempts
   FROM counterfoil.orders o
  WHERE ((o.state = 'review'::text) AND (( SELECT true
           FROM counterfoil.payments p
          WHERE ((p.transaction_id = o.transaction_id) AND (p.bundle_id = o.bundle_id) AND (p.account_id = o.account_id) AND ((o.environment IS NULL) OR (p.environment = o.environment)) AND (p.order_id <> o.order_id))
         LIMIT 1) IS NULL));

ALTER TABLE counterfoil.open_reviews OWNER TO counterfoil_owner;

COMMENT ON VIEW counterfoil.open_reviews IS 'Private: the orders that a person has to decide about.';

CREATE TABLE counterfoil.order_events (
    id bigint NOT NULL,
    order_id text NOT NULL COLLATE pg_catalog."C",
    occurred_at timestamp with time zone DEFAULT now() NOT NULL,
    kind text NOT NULL,
    who text DEFAULT SESSION_USER NOT NULL,
    why text NOT NULL,
    CONSTRAINT order_event_kind_is_known CHECK ((kind = ANY (ARRAY['cancelled'::text, 'imported'::text, 'assigned'::text, 'refunded'::text, 'refund_reversed'::text, 'judged_again'::text, 'job_retried'::text, 'job_discarded'::text, 'job_cancelled'::text, 'found'::text]))),
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

CREATE VIEW counterfoil.order_story AS
 SELECT o.order_id,
    o.created_at AS at,
    'ordered'::text AS event,
    o.account_id AS who,
    NULL::text AS reason,
    format('%s of %s'::text, o.quantity, o.product_id) AS detail
   FROM counterfoil.orders o
UNION ALL
 SELECT j.order_id,
    j.created_at AS at,
    'uploaded'::text AS event,
    j.account_id AS who,
    j.reason,
    format('job %s, %s'::text, j.id, j.state) AS detail
   FROM counterfoil.jobs j
  WHERE (j.kind = 'verify'::text)
UNION ALL
 SELECT a.order_id,
    min(a.submitted_at) AS at,
    'uploaded'::text AS event,
    NULL::text AS who,
    NULL::text AS reason,
    format('job %s, over'::text, a.job_id) AS detail
   FROM counterfoil.attempts a
  WHERE ((a.proof_kind IS NOT NULL) AND (NOT (EXISTS ( SELECT
           FROM counterfoil.jobs j
          WHERE (j.id = a.job_id)))))
  GROUP BY a.order_id, a.job_id
UNION ALL
 SELECT a.order_id,
    a.finished_at AS at,
    counterfoil.attempt_outcome(a.disposition, a.reason, a.transaction_id) AS event,
    format('worker %s'::text, a.worker_id) AS who,
    a.reason,
    concat_ws(', '::text, format('attempt %s of job %s'::text, a.attempt, a.job_id), format('took %s s'::text, round(EXTRACT(epoch FROM (a.finished_at - a.claimed_at)), 3)), a.proof_kind, a.environment, ('transaction '::text || a.transaction_id), a.message) AS detail
   FROM counterfoil.attempts a
UNION ALL
 SELECT g.order_id,
    g.granted_at AS at,
    'granted'::text AS event,
    NULL::text AS who,
    NULL::text AS reason,
    format('%s of %s for transaction %s of %s'::text, g.quantity, g.product_id, g.transaction_id, g.environment) AS detail
   FROM counterfoil.payments g
  WHERE (g.order_id IS NOT NULL)
UNION ALL
 SELECT g.order_id,
    r.recorded_at AS at,
    r.kind AS event,
    NULL::text AS who,
    NULL::text AS reason,
    concat_ws(', '::text, format('of transaction %s at %s'::text, r.transaction_id, r.occurred_at),
        CASE
            WHEN ((r.kind = 'reversal'::text) OR (r.share = 100000)) THEN NULL::text
            WHEN (r.share IS NULL) THEN 'Apple leaves open how much'::text
            ELSE format('%s %% of the payment'::text, trim_scale(((r.share)::numeric / 1000.0)))
        END, (NULLIF(r.seats, 0) || ' seats'::text), r.revocation_type) AS detail
   FROM (counterfoil.payments g
     JOIN counterfoil.revocations r ON (((r.original_transaction_id = g.original_transaction_id) AND (r.bundle_id = g.bundle_id) AND (r.environment = g.environment) AND ((r.transaction_id = g.transaction_id) OR counterfoil.is_one_payment(g.bundle_id, g.environment, g.original_transaction_id, g.product_kind, g.web_order_line_item_id, g.purchased_at, ( SELECT p.product_kind
           FROM counterfoil.payments p
          WHERE ((p.transaction_id = r.transaction_id) AND (p.bundle_id = g.bundle_id) AND (p.environment = g.environment))), r.web_order_line_item_id, COALESCE(r.purchased_at, r.occurred_at))))))
  WHERE (g.order_id IS NOT NULL)
UNION ALL
 SELECT s.shown_by AS order_id,
    s.seen_at AS at,
    'unclaimed'::text AS event,
    s.account_id AS who,
    s.reason,
    format('transaction %s, %s of %s'::text, s.transaction_id, s.quantity, s.product_id) AS detail
   FROM counterfoil.payment_states s
  WHERE ((s.reason IS NOT NULL) AND (s.state = ANY (ARRAY['unclaimed'::text, 'renewal'::text])) AND (s.shown_by IS NOT NULL))
UNION ALL
 SELECT g.order_id,
    n.received_at AS at,
    'notified'::text AS event,
    'Apple'::text AS who,
    NULL::text AS reason,
    concat_ws(', '::text, concat_ws(' '::text, n.type, n.subtype), ('signed at '::text || n.signed_at), ('notification '::text || n.notification_uuid), n.message) AS detail
   FROM (counterfoil.payments g
     JOIN counterfoil.notifications n ON (((n.transaction_id = g.transaction_id) AND (n.bundle_id = g.bundle_id) AND (n.environment = g.environment))))
  WHERE ((g.order_id IS NOT NULL) AND (n.outcome IS NOT NULL))
UNION ALL
 SELECT e.order_id,
    e.occurred_at AS at,
    e.kind AS event,
    e.who,
    NULL::text AS reason,
    e.why AS detail
   FROM counterfoil.order_events e;

ALTER TABLE counterfoil.order_story OWNER TO counterfoil_owner;

COMMENT ON VIEW counterfoil.order_story IS 'One order''s whole story: ordered, uploaded, each attempt, granted, taken back, what Apple told, and what was done by hand. Look it up by order_id.';

CREATE TABLE counterfoil.orders_in_review (
    order_id text NOT NULL COLLATE pg_catalog."C",
    since timestamp with time zone NOT NULL
);

ALTER TABLE counterfoil.orders_in_review OWNER TO counterfoil_owner;

COMMENT ON TABLE counterfoil.orders_in_review IS 'The orders that attempts, and reversed refunds, left in review, so that nobody looks through all orders for them; some have left since.';

CREATE TABLE counterfoil.originals (
    original_transaction_id text NOT NULL COLLATE pg_catalog."C",
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    environment text NOT NULL COLLATE pg_catalog."C"
);

ALTER TABLE counterfoil.originals OWNER TO counterfoil_owner;

COMMENT ON TABLE counterfoil.originals IS 'Locks of payments that may have several names. The rows have no other meaning.';

CREATE VIEW counterfoil.overview AS
 SELECT b.waiting_jobs,
    b.due_jobs,
    b.parked_jobs,
    r.running_jobs,
    d.discarded_jobs,
    (GREATEST((0)::numeric, EXTRACT(epoch FROM (now() - b.oldest_due_at))))::double precision AS oldest_due_seconds,
    COALESCE(t.attempts, (0)::bigint) AS attempts_last_5_minutes,
    COALESCE(t.fulfilled, (0)::bigint) AS fulfilled_last_5_minutes,
    COALESCE(t.rejected, (0)::bigint) AS rejected_last_5_minutes,
    COALESCE(t.failed, (0)::bigint) AS failed_last_5_minutes,
    l.p50_seconds,
    l.p95_seconds,
    l.p99_seconds,
    w.workers_alive,
    w.workers_silent,
    w.slots,
    g.closed_gates,
    v.orders_in_review,
    u.paid_not_delivered,
    k.counted_to,
    now() AS as_of
   FROM (((((((((( SELECT (COALESCE(sum(x.waiting), (0)::numeric))::bigint AS waiting_jobs,
            (COALESCE(sum(x.due) FILTER (WHERE (y.state = 'open'::text)), (0)::numeric))::bigint AS due_jobs,
            (COALESCE(sum(x.waiting) FILTER (WHERE (y.state = 'closed'::text)), (0)::numeric))::bigint AS parked_jobs,
            min(x.oldest_run_at) FILTER (WHERE ((y.state = 'open'::text) AND (x.due > 0))) AS oldest_due_at
           FROM (counterfoil.lane_backlogs x
             LEFT JOIN counterfoil.gates y ON ((y.lane = x.lane)))) b
     CROSS JOIN ( SELECT count(*) AS running_jobs
           FROM counterfoil.jobs j
          WHERE (j.lease_expires_at > '-infinity'::timestamp with time zone)) r)
     CROSS JOIN ( SELECT count(*) AS discarded_jobs
           FROM ( SELECT
                   FROM counterfoil.jobs j
                  WHERE (j.state = 'discarded'::text)
                  ORDER BY j.reason
                 LIMIT 10000) few) d)
     CROSS JOIN ( SELECT (sum(m.attempts))::bigint AS attempts,
            (sum(m.attempts) FILTER (WHERE (m.outcome = 'fulfilled'::text)))::bigint AS fulfilled,
            (sum(m.attempts) FILTER (WHERE (m.outcome = 'rejected'::text)))::bigint AS rejected,
            (sum(m.attempts) FILTER (WHERE (m.outcome = ANY (ARRAY['retried'::text, 'rescued'::text, 'discarded'::text]))))::bigint AS failed
           FROM counterfoil.attempt_minutes m
          WHERE (m.minute >= (date_trunc('minute'::text, now()) - '00:05:00'::interval))) t)
     CROSS JOIN ( SELECT counterfoil.latency_percentile(50, h.buckets, h.reached) AS p50_seconds,
            counterfoil.latency_percentile(95, h.buckets, h.reached) AS p95_seconds,
            counterfoil.latency_percentile(99, h.buckets, h.reached) AS p99_seconds
           FROM ( SELECT array_agg(c.bucket ORDER BY c.bucket) AS buckets,
                    array_agg(c.reached ORDER BY c.bucket) AS reached
                   FROM ( SELECT m.bucket,
                            (sum(sum(m.attempts)) OVER (ORDER BY m.bucket))::bigint AS reached
                           FROM counterfoil.latency_buckets m
                          WHERE ((m.minute >= (date_trunc('minute'::text, now()) - '00:05:00'::interval)) AND (m.measure = 'fulfilment'::text))
                          GROUP BY m.bucket) c) h) l)
     CROSS JOIN ( SELECT count(*) FILTER (WHERE (x.heartbeat_at >= (now() - '00:01:00'::interval))) AS workers_alive,
            count(*) FILTER (WHERE (x.heartbeat_at < (now() - '00:01:00'::interval))) AS workers_silent,
            COALESCE(sum(x.slots) FILTER (WHERE (x.heartbeat_at >= (now() - '00:01:00'::interval))), (0)::bigint) AS slots
           FROM counterfoil.workers x) w)
     CROSS JOIN ( SELECT count(*) AS closed_gates
           FROM counterfoil.gates x
          WHERE (x.state = 'closed'::text)) g)
     CROSS JOIN ( SELECT count(*) AS orders_in_review
           FROM ( SELECT
                   FROM (counterfoil.orders_in_review x
                     JOIN counterfoil.open_reviews o ON ((o.order_id = x.order_id)))
                 LIMIT 1000) few) v)
     CROSS JOIN ( SELECT count(*) AS paid_not_delivered
           FROM ( SELECT
                   FROM counterfoil.payment_states x
                  WHERE ((x.reason <> ALL (ARRAY['renewal'::text, 'restored'::text, 'refunded'::text, 'before_ledger'::text])) AND (x.state = 'unclaimed'::text))
                 LIMIT 10000) few) u)
     CROSS JOIN counterfoil.roll_up_marks k);

ALTER TABLE counterfoil.overview OWNER TO counterfoil_owner;

COMMENT ON VIEW counterfoil.overview IS 'How things are now, in one row: what waits, what runs, what was done in the last 5 minutes and how fast, who works, and what needs a person. Counts of 10000, and 1000 orders in review, mean so many or more';

CREATE VIEW counterfoil.paid_not_delivered AS
 SELECT u.bundle_id,
    u.environment,
    u.transaction_id,
    u.product_id,
    u.quantity,
    u.purchased_at,
    u.reason,
    u.seen_at AS first_seen_at,
    u.account_id,
    u.shown_by AS order_id,
    o.product_id AS ordered_product_id,
    o.state AS order_state,
    o.reason AS order_reason
   FROM (( SELECT s.transaction_id,
            s.bundle_id,
            s.environment,
            s.original_transaction_id,
            s.payment_key,
            s.web_order_line_item_id,
            s.product_id,
            s.product_kind,
            s.quantity,
            s.purchased_at,
            s.expires_at,
            s.app_account_token,
            s.account_id,
            s.shown_by,
            s.seen_at,
            s.reason,
            s.order_id,
            s.granted_at,
            s.job_id,
            s.paid_order_id,
            s.paid_account_id,
            s.is_refunded,
            s.is_partly_refunded,
            s.refunded_share,
            s.state,
            s.refunded_at
           FROM counterfoil.payment_states s
          WHERE ((s.reason <> ALL (ARRAY['renewal'::text, 'restored'::text, 'refunded'::text, 'before_ledger'::text])) AND (s.state = 'unclaimed'::text))
          ORDER BY s.seen_at DESC
         LIMIT 1000) u
     LEFT JOIN counterfoil.orders o ON ((o.order_id = u.shown_by)));

ALTER TABLE counterfoil.paid_not_delivered OWNER TO counterfoil_owner;

COMMENT ON VIEW counterfoil.paid_not_delivered IS 'Payments that were verified and not granted: why, and the order and account that showed them; the latest thousand.';

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

CREATE VIEW counterfoil.product_funnel AS
 SELECT h.bundle_id,
    h.product_id,
    sum((h.ordered)::integer) AS ordered,
    sum((h.judged)::integer) AS judged,
    sum((h.fulfilled)::integer) AS fulfilled,
    sum((h.rejected)::integer) AS rejected,
    sum((h.reviewed)::integer) AS reviewed,
    sum((h.refunded)::integer) AS refunded,
    (round(((100.0 * (sum((h.fulfilled)::integer))::numeric) / (NULLIF(sum((h.ordered)::integer), 0))::numeric), 1))::double precision AS fulfilled_percent
   FROM counterfoil.product_hours h
  WHERE (h.hour >= date_trunc('hour'::text, (now() - '7 days'::interval)))
  GROUP BY h.bundle_id, h.product_id;

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

CREATE VIEW counterfoil.refusal_standings AS
 SELECT r.lane,
    r.order_id,
    r.credential_digest,
    r.proof_hash,
    r.needs_credential,
    r.is_of_proof,
    r.first_refused_at,
    r.refused_at,
    (r.refused_at > (now() - '08:00:00'::interval)) AS is_recent,
    (r.refused_at > COALESCE(g.credential_accepted_at, '-infinity'::timestamp with time zone)) AS is_last_word,
    GREATEST(r.first_refused_at, g.credential_accepted_at) AS stands_since,
    COALESCE((r.refused_at <
        CASE
            WHEN r.needs_credential THEN g.needed_credential_accepted_at
            ELSE g.credential_accepted_at
        END), false) AS is_accepted_since
   FROM (counterfoil.credential_refusals r
     JOIN counterfoil.gates g ON ((g.lane = r.lane)));

ALTER TABLE counterfoil.refusal_standings OWNER TO counterfoil_owner;

COMMENT ON VIEW counterfoil.refusal_standings IS 'Private: what each refusal of a lane''s secret or key says, in the light of what Apple accepted since.';

CREATE VIEW counterfoil.rejections AS
 SELECT m.bundle_id,
    m.outcome,
    m.reason,
    (sum(m.attempts))::bigint AS last_24_hours,
    (COALESCE(sum(m.attempts) FILTER (WHERE (m.minute >= (now() - '01:00:00'::interval))), (0)::numeric))::bigint AS last_hour,
    max(m.minute) AS last_minute
   FROM counterfoil.attempt_minutes m
  WHERE ((m.minute >= (now() - '24:00:00'::interval)) AND (m.outcome = ANY (ARRAY['rejected'::text, 'review'::text, 'discarded'::text])))
  GROUP BY m.bundle_id, m.outcome, m.reason;

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

CREATE VIEW counterfoil.role_settings AS
 SELECT s.role,
    s.setting,
    s.value,
    f.value AS found
   FROM (( VALUES ('counterfoil_owner'::text,'search_path'::text,'pg_catalog, pg_temp'::text), ('counterfoil_worker'::text,'search_path'::text,'pg_catalog, pg_temp'::text), ('counterfoil_support'::text,'search_path'::text,'pg_catalog, pg_temp'::text), ('counterfoil_reader'::text,'search_path'::text,'pg_catalog, pg_temp'::text), ('counterfoil_worker'::text,'statement_timeout'::text,'30s'::text), ('counterfoil_worker'::text,'lock_timeout'::text,'5s'::text), ('counterfoil_worker'::text,'idle_in_transaction_session_timeout'::text,'10s'::text), ('counterfoil_worker'::text,'plan_cache_mode'::text,'force_generic_plan'::text), ('counterfoil_worker'::text,'jit'::text,'off'::text), ('counterfoil_worker'::text,'enable_bitmapscan'::text,'off'::text), ('counterfoil_worker'::text,'enable_seqscan'::text,'off'::text), ('counterfoil_worker'::text,'default_transaction_isolation'::text,'read committed'::text), ('counterfoil_support'::text,'statement_timeout'::text,'60s'::text), ('counterfoil_support'::text,'lock_timeout'::text,'5s'::text), ('counterfoil_support'::text,'idle_in_transaction_session_timeout'::text,'10s'::text), ('counterfoil_support'::text,'default_transaction_isolation'::text,'read committed'::text), ('counterfoil_backend'::text,'statement_timeout'::text,'30s'::text), ('counterfoil_backend'::text,'lock_timeout'::text,'10s'::text), ('counterfoil_backend'::text,'idle_in_transaction_session_timeout'::text,'60s'::text), ('counterfoil_reader'::text,'statement_timeout'::text,'5s'::text), ('counterfoil_reader'::text,'lock_timeout'::text,'1s'::text), ('counterfoil_reader'::text,'idle_in_transaction_session_timeout'::text,'10s'::text), ('counterfoil_reader'::text,'default_transaction_read_only'::text,'on'::text), ('counterfoil_reader'::text,'max_parallel_workers_per_gather'::text,'0'::text), ('counterfoil_reader'::text,'jit'::text,'off'::text), ('counterfoil_reader'::text,'work_mem'::text,'16MB'::text)) s(role, setting, value)
     LEFT JOIN LATERAL ( SELECT substr(c.text, (strpos(c.text, '='::text) + 1)) AS value
           FROM (pg_db_role_setting d
             CROSS JOIN LATERAL unnest(d.setconfig) c(text))
          WHERE ((d.setrole = ( SELECT r.oid
                   FROM pg_roles r
                  WHERE (r.rolname = s.role))) AND (d.setdatabase = ( SELECT b.oid
                   FROM pg_database b
                  WHERE (b.datname = current_database()))) AND (split_part(c.text, '='::text, 1) = s.setting))) f ON (true));

ALTER TABLE counterfoil.role_settings OWNER TO counterfoil_owner;

COMMENT ON VIEW counterfoil.role_settings IS 'Private: the settings that our roles should have in this database, and those that they have.';

CREATE TABLE counterfoil.searches (
    bundle_id text NOT NULL COLLATE pg_catalog."C",
    searched_to timestamp with time zone DEFAULT now() NOT NULL
)
WITH (fillfactor='50');

ALTER TABLE counterfoil.searches OWNER TO counterfoil_owner;

COMMENT ON TABLE counterfoil.searches IS 'Up to which order of an app it was looked whether its payment has to be searched.';

CREATE VIEW counterfoil.stuck_orders AS
 SELECT o.order_id,
    o.bundle_id,
    o.product_id,
    o.account_id,
    o.state,
        CASE
            WHEN (j.state = 'running'::text) THEN COALESCE(j.reason, 'running'::text)
            WHEN (g.state = 'open'::text) THEN COALESCE(j.reason, 'waiting'::text)
            WHEN (g.closed_by = 'configuration'::text) THEN 'configuration'::text
            WHEN (g.closed_by = 'operator'::text) THEN 'closed_by_operator'::text
            WHEN (g.closed_by = 'budget'::text) THEN 'rate_limited'::text
            WHEN (g.closed_by = 'breaker'::text) THEN 'app_store_unavailable'::text
            ELSE 'no_gate'::text
        END AS why,
    j.created_at AS since,
    j.id AS job_id,
    j.attempt AS attempts,
    j.run_at AS next_attempt_at,
    g.why AS gate_says
   FROM ((counterfoil.jobs j
     JOIN counterfoil.orders o ON ((o.order_id = j.order_id)))
     LEFT JOIN counterfoil.gates g ON ((g.lane = j.lane)))
  WHERE ((j.id = ANY (ARRAY(( SELECT q.id
           FROM ( SELECT f.id,
                    f.state,
                    f.kind
                   FROM counterfoil.jobs f
                  ORDER BY f.id
                 LIMIT 20000) q
          WHERE ((q.state <> 'discarded'::text) AND (q.kind = 'verify'::text))
          ORDER BY q.id
         LIMIT 1000)
        UNION
         SELECT f.id
           FROM ((counterfoil.lane_backlogs b
             CROSS JOIN generate_series(0, 3) p(priority))
             CROSS JOIN LATERAL ( SELECT q.id
                   FROM counterfoil.jobs q
                  WHERE ((q.state = 'available'::text) AND (q.lane = b.lane) AND (q.priority = p.priority))
                  ORDER BY q.run_at, q.id
                 LIMIT 20) f)))) AND (j.state <> 'discarded'::text) AND (j.kind = 'verify'::text) AND (j.created_at < (now() - '00:15:00'::interval)) AND (o.state <> ALL (ARRAY['fulfilled'::text, 'refunded'::text])))
UNION ALL
 SELECT o.order_id,
    o.bundle_id,
    o.product_id,
    o.account_id,
    o.state,
    o.reason AS why,
    w.since,
    ( SELECT j.id
           FROM counterfoil.jobs j
          WHERE ((j.order_id = o.order_id) AND (j.state = 'discarded'::text))
          ORDER BY j.id DESC
         LIMIT 1) AS job_id,
    o.attempts,
    NULL::timestamp with time zone AS next_attempt_at,
    NULL::text AS gate_says
   FROM (( SELECT r.order_id,
            r.since
           FROM counterfoil.orders_in_review r
          ORDER BY r.since
         LIMIT 1000) w
     JOIN counterfoil.open_reviews o ON ((o.order_id = w.order_id)));

ALTER TABLE counterfoil.stuck_orders OWNER TO counterfoil_owner;

COMMENT ON VIEW counterfoil.stuck_orders IS 'Orders whose proof has waited for 15 minutes, and orders in review: why, and since when. The oldest thousand of each, and the next of each gate.';

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
    as_of timestamp with time zone NOT NULL
)
WITH (fillfactor='80');

ALTER TABLE counterfoil.subscriptions OWNER TO counterfoil_owner;

COMMENT ON TABLE counterfoil.subscriptions IS 'What Apple signed last of a subscription''s renewal.';

CREATE VIEW counterfoil.subscription_status AS
 SELECT b.bundle_id,
    b.environment,
    b.original_transaction_id,
    l.product_id,
    l.account_id,
    l.transaction_id,
    l.purchased_at,
    l.expires_at,
        CASE
            WHEN l.is_refunded THEN 'revoked'::text
            WHEN (l.expires_at > now()) THEN 'active'::text
            WHEN (s.grace_ends_at > now()) THEN 'grace'::text
            WHEN s.is_in_billing_retry THEN 'billing_retry'::text
            ELSE 'expired'::text
        END AS status,
    s.will_renew,
    s.renews_as,
    s.renews_at,
    s.grace_ends_at,
    s.expiration_intent,
    s.as_of
   FROM ((( SELECT s_1.bundle_id,
            s_1.environment,
            s_1.original_transaction_id
           FROM counterfoil.subscriptions s_1
        UNION
         SELECT p.bundle_id,
            p.environment,
            p.original_transaction_id
           FROM counterfoil.payments p
          WHERE ((p.original_transaction_id = p.transaction_id) AND (p.product_kind = 'auto_renewable'::text))
        UNION
         SELECT p.bundle_id,
            p.environment,
            p.original_transaction_id
           FROM counterfoil.payments p
          WHERE ((p.original_transaction_id <> p.transaction_id) AND (p.product_kind = 'auto_renewable'::text))) b
     LEFT JOIN counterfoil.subscriptions s ON (((s.original_transaction_id = b.original_transaction_id) AND (s.bundle_id = b.bundle_id) AND (s.environment = b.environment))))
     LEFT JOIN LATERAL ( SELECT q.product_id,
            COALESCE(q.paid_account_id, q.account_id) AS account_id,
            q.transaction_id,
            q.purchased_at,
            q.expires_at,
            q.is_refunded
           FROM ( SELECT p.transaction_id,
                    p.bundle_id,
                    p.environment,
                    p.original_transaction_id,
                    p.payment_key,
                    p.web_order_line_item_id,
                    p.product_id,
                    p.product_kind,
                    p.quantity,
                    p.purchased_at,
                    p.expires_at,
                    p.app_account_token,
                    p.account_id,
                    p.shown_by,
                    p.seen_at,
                    p.reason,
                    p.order_id,
                    p.granted_at,
                    p.job_id,
                    p.paid_order_id,
                    p.paid_account_id,
                    p.is_refunded,
                    p.is_partly_refunded,
                    p.refunded_share,
                    p.state,
                    p.refunded_at
                   FROM counterfoil.payment_states p
                  WHERE ((p.transaction_id = b.original_transaction_id) AND (p.bundle_id = b.bundle_id) AND (p.environment = b.environment))
                UNION ALL
                 SELECT p.transaction_id,
                    p.bundle_id,
                    p.environment,
                    p.original_transaction_id,
                    p.payment_key,
                    p.web_order_line_item_id,
                    p.product_id,
                    p.product_kind,
                    p.quantity,
                    p.purchased_at,
                    p.expires_at,
                    p.app_account_token,
                    p.account_id,
                    p.shown_by,
                    p.seen_at,
                    p.reason,
                    p.order_id,
                    p.granted_at,
                    p.job_id,
                    p.paid_order_id,
                    p.paid_account_id,
                    p.is_refunded,
                    p.is_partly_refunded,
                    p.refunded_share,
                    p.state,
                    p.refunded_at
                   FROM counterfoil.payment_states p
                  WHERE ((p.original_transaction_id = b.original_transaction_id) AND (p.bundle_id = b.bundle_id) AND (p.environment = b.environment) AND (p.original_transaction_id <> p.transaction_id))) q
          ORDER BY q.expires_at DESC NULLS LAST, q.purchased_at DESC
         LIMIT 1) l ON (true));

ALTER TABLE counterfoil.subscription_status OWNER TO counterfoil_owner;

COMMENT ON VIEW counterfoil.subscription_status IS 'Where a subscription is, by what Apple signed last. Look it up by original_transaction_id.';

CREATE VIEW counterfoil.suspicious_accounts AS
 SELECT s.bundle_id,
    s.account_id,
    COALESCE(sum((s.attempts)::integer) FILTER (WHERE (s.reason = ANY (ARRAY['already_granted'::text, 'already_owned'::text]))), (0)::bigint) AS duplicates,
    COALESCE(sum((s.attempts)::integer) FILTER (WHERE (s.reason = ANY (ARRAY['granted_to_another_account'::text, 'owner_mismatch'::text]))), (0)::bigint) AS replays,
    COALESCE(sum((s.attempts)::integer) FILTER (WHERE (s.reason = ANY (ARRAY['bad_certificate'::text, 'untrusted_root'::text, 'bad_signature'::text, 'not_authentic'::text, 'unsupported_environment'::text]))), (0)::bigint) AS forgeries,
    COALESCE(sum((s.attempts)::integer) FILTER (WHERE (s.reason = 'sandbox_not_allowed'::text)), (0)::bigint) AS sandbox,
    min(s.minute) AS first_minute,
    max(s.minute) AS last_minute
   FROM counterfoil.suspicion_minutes s
  WHERE ((s.minute >= (now() - '7 days'::interval)) AND (s.reason = ANY (ARRAY['already_granted'::text, 'already_owned'::text, 'granted_to_another_account'::text, 'owner_mismatch'::text, 'bad_certificate'::text, 'untrusted_root'::text, 'bad_signature'::text, 'not_authentic'::text, 'unsupported_environment'::text, 'sandbox_not_allowed'::text])))
  GROUP BY s.bundle_id, s.account_id
  ORDER BY (sum((s.attempts)::integer)) DESC, s.bundle_id, s.account_id
 LIMIT 1000;

ALTER TABLE counterfoil.suspicious_accounts OWNER TO counterfoil_owner;

COMMENT ON VIEW counterfoil.suspicious_accounts IS 'Accounts that sent duplicates, others'' payments, forgeries or sandbox purchases that don''t count, in the last 7 days.';

CREATE VIEW counterfoil.throughput AS
 SELECT m.minute,
    m.bundle_id,
    m.outcome,
    (sum(m.attempts))::bigint AS attempts
   FROM counterfoil.attempt_minutes m
  WHERE (m.minute >= (now() - '24:00:00'::interval))
  GROUP BY m.minute, m.bundle_id, m.outcome;

ALTER TABLE counterfoil.throughput OWNER TO counterfoil_owner;

COMMENT ON VIEW counterfoil.throughput IS 'How many attempts finished in each minute of the last 24 hours, by app and by what came of them.';

CREATE VIEW counterfoil.throughput_by_hour AS
 SELECT h.hour,
    h.bundle_id,
    h.outcome,
    (sum(h.attempts))::bigint AS attempts
   FROM counterfoil.attempt_hours h
  WHERE (h.hour >= (now() - '30 days'::interval))
  GROUP BY h.hour, h.bundle_id, h.outcome;

ALTER TABLE counterfoil.throughput_by_hour OWNER TO counterfoil_owner;

COMMENT ON VIEW counterfoil.throughput_by_hour IS 'How many attempts finished in each hour of the last 30 days, by app and by what came of them.';

CREATE VIEW counterfoil.unclaimed_transactions AS
 SELECT s.bundle_id,
    s.environment,
    s.transaction_id,
    s.original_transaction_id,
    s.web_order_line_item_id,
    s.product_id,
    s.product_kind,
    s.quantity,
    s.purchased_at,
    s.expires_at,
    s.app_account_token,
    s.reason,
    s.shown_by AS order_id,
    s.account_id,
    s.seen_at AS first_seen_at
   FROM counterfoil.payment_states s
  WHERE ((s.reason IS NOT NULL) AND (s.state = ANY (ARRAY['unclaimed'::text, 'renewal'::text])));

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

ALTER TABLE counterfoil.workers ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME counterfoil.workers_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

ALTER TABLE ONLY counterfoil.attempts ATTACH PARTITION counterfoil.attempts_default DEFAULT;

ALTER TABLE ONLY counterfoil.changes ATTACH PARTITION counterfoil.changes_2026_11 FOR VALUES FROM ('2026-11-01 00:00:00+00') TO ('2026-12-01 00:00:00+00');

ALTER TABLE ONLY counterfoil.changes ATTACH PARTITION counterfoil.changes_2026_12 FOR VALUES FROM ('2026-12-01 00:00:00+00') TO ('2027-01-01 00:00:00+00');

ALTER TABLE ONLY counterfoil.changes ATTACH PARTITION counterfoil.changes_2027_01 FOR VALUES FROM ('2027-01-01 00:00:00+00') TO ('2027-02-01 00:00:00+00');

ALTER TABLE ONLY counterfoil.changes ATTACH PARTITION counterfoil.changes_default DEFAULT;

ALTER TABLE ONLY counterfoil.changes ALTER COLUMN id SET DEFAULT nextval('counterfoil.change_ids'::regclass);

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

ALTER TABLE ONLY counterfoil.consumption_requests
    ADD CONSTRAINT consumption_requests_pkey PRIMARY KEY (notification_id);

ALTER TABLE ONLY counterfoil.credential_refusals
    ADD CONSTRAINT credential_refusals_pkey PRIMARY KEY (lane, order_id);

ALTER TABLE ONLY counterfoil.feed
    ADD CONSTRAINT feed_pkey PRIMARY KEY (one_row);

ALTER TABLE ONLY counterfoil.gates
    ADD CONSTRAINT gates_pkey PRIMARY KEY (lane);

ALTER TABLE ONLY counterfoil.imports
    ADD CONSTRAINT imports_pkey PRIMARY KEY (database_transaction);

ALTER TABLE ONLY counterfoil.index_makers
    ADD CONSTRAINT index_makers_pkey PRIMARY KEY (one_row);

ALTER TABLE ONLY counterfoil.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (id);

ALTER TABLE ONLY counterfoil.latency_hours
    ADD CONSTRAINT latency_hours_pkey PRIMARY KEY (hour, bundle_id, measure);

ALTER TABLE ONLY counterfoil.latency_minutes
    ADD CONSTRAINT latency_minutes_pkey PRIMARY KEY (minute, bundle_id, measure);

ALTER TABLE ONLY counterfoil.migrations
    ADD CONSTRAINT migrations_pkey PRIMARY KEY (id);

ALTER TABLE ONLY counterfoil.notifications
    ADD CONSTRAINT notifications_pkey PRIMARY KEY (id);

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
    ADD CONSTRAINT one_row_an_answer PRIMARY KEY (transaction_id, order_id);

ALTER TABLE ONLY counterfoil.order_events
    ADD CONSTRAINT order_events_pkey PRIMARY KEY (id);

ALTER TABLE ONLY counterfoil.orders
    ADD CONSTRAINT order_ids_are_unique PRIMARY KEY (order_id);

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

ALTER TABLE ONLY counterfoil.searches
    ADD CONSTRAINT searches_pkey PRIMARY KEY (bundle_id);

ALTER TABLE counterfoil.payments
    ADD CONSTRAINT signed_price_names_its_currency CHECK ((((price_milliunits IS NULL) = (currency IS NULL)) AND (price_milliunits >= 0) AND (currency ~ '^[A-Z]{3}$'::text))) NOT VALID;

ALTER TABLE ONLY counterfoil.suspicion_minutes
    ADD CONSTRAINT suspicion_minutes_pkey PRIMARY KEY (minute, bundle_id, account_id, reason);

ALTER TABLE ONLY counterfoil.unfound_payments
    ADD CONSTRAINT unfound_payments_pkey PRIMARY KEY (lane, account_id);

ALTER TABLE ONLY counterfoil.workers
    ADD CONSTRAINT workers_pkey PRIMARY KEY (id);

CREATE UNIQUE INDEX an_order_keeps_a_proof_once ON counterfoil.proofs USING btree (order_id, proof_hash);

CREATE INDEX attempts_by_order ON ONLY counterfoil.attempts USING btree (order_id);

CREATE INDEX attempts_by_time ON ONLY counterfoil.attempts USING brin (finished_at) WITH (autosummarize='on');

CREATE INDEX attempts_default_finished_at_idx ON counterfoil.attempts_default USING brin (finished_at) WITH (autosummarize='on');

CREATE INDEX attempts_default_order_id_idx ON counterfoil.attempts_default USING btree (order_id);

CREATE INDEX available_jobs ON counterfoil.jobs USING btree (lane, priority, run_at, id) WHERE (state = 'available'::text);

CREATE INDEX awaited_renewals_by_time ON counterfoil.awaited_renewals USING btree (review_at);

CREATE INDEX changes_by_id ON ONLY counterfoil.changes USING btree (id);

CREATE INDEX changes_2026_11_id_idx ON counterfoil.changes_2026_11 USING btree (id);

CREATE INDEX changes_by_xid ON ONLY counterfoil.changes USING btree (xid);

CREATE INDEX changes_2026_11_xid_idx ON counterfoil.changes_2026_11 USING btree (xid);

CREATE INDEX changes_2026_12_id_idx ON counterfoil.changes_2026_12 USING btree (id);

CREATE INDEX changes_2026_12_xid_idx ON counterfoil.changes_2026_12 USING btree (xid);

CREATE INDEX changes_2027_01_id_idx ON counterfoil.changes_2027_01 USING btree (id);

CREATE INDEX changes_2027_01_xid_idx ON counterfoil.changes_2027_01 USING btree (xid);

CREATE INDEX changes_default_id_idx ON counterfoil.changes_default USING btree (id);

CREATE INDEX changes_default_xid_idx ON counterfoil.changes_default USING btree (xid);

CREATE INDEX consumption_requests_by_transaction ON counterfoil.consumption_requests USING btree (transaction_id);

CREATE INDEX discarded_jobs ON counterfoil.jobs USING btree (reason) WHERE (state = 'discarded'::text);

CREATE INDEX leases ON counterfoil.jobs USING btree (lease_expires_at) WHERE (lease_expires_at > '-infinity'::timestamp with time zone);

CREATE INDEX notifications_by_age ON counterfoil.notifications USING btree (received_at) WHERE (payload IS NOT NULL);

CREATE INDEX notifications_by_app ON counterfoil.notifications USING btree (bundle_id, environment, received_at);

CREATE INDEX notifications_by_transaction ON counterfoil.notifications USING btree (transaction_id) WHERE (transaction_id IS NOT NULL);

CREATE INDEX notifications_of_unknown_apps ON counterfoil.notifications USING btree (bundle_id, id) WHERE ((outcome IS NULL) AND (NOT is_of_an_app));

CREATE UNIQUE INDEX one_effect_of_a_notification ON counterfoil.notifications USING btree (notification_uuid, bundle_id, environment) WHERE (outcome IS NOT NULL);

CREATE UNIQUE INDEX one_grant_a_payment ON counterfoil.payments USING btree (payment_key, bundle_id, environment) WHERE ((granted_at IS NOT NULL) AND (payment_key IS NOT NULL));

CREATE UNIQUE INDEX one_grant_an_order ON counterfoil.payments USING btree (order_id) WHERE (order_id IS NOT NULL);

CREATE UNIQUE INDEX one_job_a_notification ON counterfoil.jobs USING btree (notification_id) WHERE (kind = 'notification'::text);

CREATE UNIQUE INDEX one_job_of_an_order_runs_at_a_time ON counterfoil.jobs USING btree (order_id, (
CASE
    WHEN (state = 'running'::text) THEN (0)::bigint
    ELSE id
END));

CREATE UNIQUE INDEX one_text_of_a_notification ON counterfoil.notifications USING btree (notification_uuid, bundle_id, environment, payload_hash);

CREATE INDEX order_events_by_order ON counterfoil.order_events USING btree (order_id);

CREATE INDEX orders_by_account ON counterfoil.orders USING btree (account_id, product_id, created_at);

CREATE INDEX orders_by_app_account_token ON counterfoil.orders USING btree (app_account_token, account_id) WHERE (app_account_token IS NOT NULL);

CREATE INDEX orders_by_time ON counterfoil.orders USING brin (created_at) WITH (autosummarize='on');

CREATE INDEX orders_in_review_by_age ON counterfoil.orders_in_review USING btree (since);

CREATE INDEX payments_by_customer ON counterfoil.payments USING btree (customer_id, account_id) WHERE ((customer_id IS NOT NULL) AND (account_id IS NOT NULL));

CREATE INDEX payments_by_original ON counterfoil.payments USING btree (original_transaction_id, bundle_id, environment) WHERE (original_transaction_id <> transaction_id);

CREATE INDEX payments_ungranted_by_age ON counterfoil.payments USING btree (seen_at) WHERE (reason <> ALL (ARRAY['renewal'::text, 'restored'::text, 'refunded'::text, 'before_ledger'::text]));

CREATE INDEX payments_ungranted_by_order ON counterfoil.payments USING btree (shown_by) WHERE (reason IS NOT NULL);

CREATE INDEX proofs_by_account ON counterfoil.proofs USING btree (account_id, kept_at);

CREATE INDEX proofs_by_age ON counterfoil.proofs USING btree (kept_at);

CREATE INDEX refused_settlements ON counterfoil.jobs USING btree (id) WHERE (reason = 'settlement_refused'::text);

CREATE INDEX unverified_notifications ON counterfoil.notifications USING btree (bundle_id, id) WHERE ((outcome IS NULL) AND is_of_an_app);

ALTER INDEX counterfoil.attempts_by_time ATTACH PARTITION counterfoil.attempts_default_finished_at_idx;

ALTER INDEX counterfoil.attempts_by_order ATTACH PARTITION counterfoil.attempts_default_order_id_idx;

ALTER INDEX counterfoil.changes_by_id ATTACH PARTITION counterfoil.changes_2026_11_id_idx;

ALTER INDEX counterfoil.changes_by_xid ATTACH PARTITION counterfoil.changes_2026_11_xid_idx;

ALTER INDEX counterfoil.changes_by_id ATTACH PARTITION counterfoil.changes_2026_12_id_idx;

ALTER INDEX counterfoil.changes_by_xid ATTACH PARTITION counterfoil.changes_2026_12_xid_idx;

ALTER INDEX counterfoil.changes_by_id ATTACH PARTITION counterfoil.changes_2027_01_id_idx;

ALTER INDEX counterfoil.changes_by_xid ATTACH PARTITION counterfoil.changes_2027_01_xid_idx;

ALTER INDEX counterfoil.changes_by_id ATTACH PARTITION counterfoil.changes_default_id_idx;

ALTER INDEX counterfoil.changes_by_xid ATTACH PARTITION counterfoil.changes_default_xid_idx;

CREATE TRIGGER attempts_are_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON counterfoil.attempts FOR EACH STATEMENT EXECUTE FUNCTION counterfoil.refuse_change();

COMMENT ON TRIGGER attempts_are_append_only ON counterfoil.attempts IS '
    before update or delete or truncate on counterfoil.attempts
    for each statement execute function counterfoil.refuse_change()
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

CREATE TRIGGER orders_are_told AFTER UPDATE ON counterfoil.orders REFERENCING OLD TABLE AS was NEW TABLE AS became FOR EACH STATEMENT EXECUTE FUNCTION counterfoil.tell_orders();

COMMENT ON TRIGGER orders_are_told ON counterfoil.orders IS '
    after update on counterfoil.orders
    referencing old table as was new table as became
    for each statement execute function counterfoil.tell_orders()
';

CREATE TRIGGER payments_are_never_removed BEFORE DELETE OR TRUNCATE ON counterfoil.payments FOR EACH STATEMENT EXECUTE FUNCTION counterfoil.refuse_change();

COMMENT ON TRIGGER payments_are_never_removed ON counterfoil.payments IS '
    before delete or truncate on counterfoil.payments
    for each statement execute function counterfoil.refuse_change()
';

CREATE TRIGGER payments_keep_their_facts BEFORE UPDATE ON counterfoil.payments FOR EACH ROW EXECUTE FUNCTION counterfoil.keep_payment();

COMMENT ON TRIGGER payments_keep_their_facts ON counterfoil.payments IS '
    before update on counterfoil.payments
    for each row execute function counterfoil.keep_payment()
';

CREATE TRIGGER payments_that_become_unclaimed_are_told AFTER UPDATE ON counterfoil.payments REFERENCING OLD TABLE AS was NEW TABLE AS became FOR EACH STATEMENT EXECUTE FUNCTION counterfoil.tell_unclaimed();

COMMENT ON TRIGGER payments_that_become_unclaimed_are_told ON counterfoil.payments IS '
    after update on counterfoil.payments
    referencing old table as was new table as became
    for each statement execute function counterfoil.tell_unclaimed()
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

CREATE TRIGGER unclaimed_payments_are_told AFTER INSERT ON counterfoil.payments REFERENCING NEW TABLE AS became FOR EACH STATEMENT EXECUTE FUNCTION counterfoil.tell_unclaimed();

COMMENT ON TRIGGER unclaimed_payments_are_told ON counterfoil.payments IS '
    after insert on counterfoil.payments
    referencing new table as became
    for each statement execute function counterfoil.tell_unclaimed()
';

ALTER TABLE ONLY counterfoil.awaited_renewals
    ADD CONSTRAINT awaiting_order_is_known FOREIGN KEY (order_id) REFERENCES counterfoil.orders(order_id);

ALTER TABLE ONLY counterfoil.budgets
    ADD CONSTRAINT budget_names_a_known_app FOREIGN KEY (bundle_id) REFERENCES counterfoil.apps(bundle_id);

ALTER TABLE ONLY counterfoil.catch_ups
    ADD CONSTRAINT catch_up_names_a_known_app FOREIGN KEY (bundle_id) REFERENCES counterfoil.apps(bundle_id);

ALTER TABLE ONLY counterfoil.order_events
    ADD CONSTRAINT event_names_a_known_order FOREIGN KEY (order_id) REFERENCES counterfoil.orders(order_id);

ALTER TABLE ONLY counterfoil.gates
    ADD CONSTRAINT gate_names_a_known_app FOREIGN KEY (bundle_id) REFERENCES counterfoil.apps(bundle_id);

ALTER TABLE ONLY counterfoil.jobs
    ADD CONSTRAINT job_names_a_known_order FOREIGN KEY (order_id) REFERENCES counterfoil.orders(order_id);

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

ALTER TABLE ONLY counterfoil.searches
    ADD CONSTRAINT search_names_a_known_app FOREIGN KEY (bundle_id) REFERENCES counterfoil.apps(bundle_id);

ALTER TABLE ONLY counterfoil.unfound_payments
    ADD CONSTRAINT unfound_payment_names_a_known_gate FOREIGN KEY (lane) REFERENCES counterfoil.gates(lane);

GRANT USAGE ON SCHEMA counterfoil TO counterfoil_backend;
GRANT USAGE ON SCHEMA counterfoil TO counterfoil_worker;
GRANT USAGE ON SCHEMA counterfoil TO counterfoil_support;
GRANT USAGE ON SCHEMA counterfoil TO counterfoil_reader;

GRANT ALL ON TYPE counterfoil.change TO counterfoil_backend;
GRANT ALL ON TYPE counterfoil.change TO counterfoil_support;
GRANT ALL ON TYPE counterfoil.change TO counterfoil_reader;

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

GRANT UPDATE(expires_at) ON TABLE counterfoil.payments TO counterfoil_worker;
GRANT UPDATE(expires_at) ON TABLE counterfoil.payments TO counterfoil_support;

GRANT UPDATE(app_account_token) ON TABLE counterfoil.payments TO counterfoil_worker;
GRANT UPDATE(app_account_token) ON TABLE counterfoil.payments TO counterfoil_support;

GRANT UPDATE(account_id) ON TABLE counterfoil.payments TO counterfoil_worker;
GRANT UPDATE(account_id) ON TABLE counterfoil.payments TO counterfoil_support;

GRANT UPDATE(shown_by) ON TABLE counterfoil.payments TO counterfoil_worker;
GRANT UPDATE(shown_by) ON TABLE counterfoil.payments TO counterfoil_support;

GRANT UPDATE(reason) ON TABLE counterfoil.payments TO counterfoil_worker;
GRANT UPDATE(reason) ON TABLE counterfoil.payments TO counterfoil_support;

GRANT UPDATE(order_id) ON TABLE counterfoil.payments TO counterfoil_worker;
GRANT UPDATE(order_id) ON TABLE counterfoil.payments TO counterfoil_support;

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

REVOKE ALL ON FUNCTION counterfoil.accounts_of_customer(of_bundle text, of_environment text, of_id text, of_original text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.accounts_of_customer(of_bundle text, of_environment text, of_id text, of_original text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.accounts_of_customer(of_bundle text, of_environment text, of_id text, of_original text) TO counterfoil_support;

REVOKE ALL ON FUNCTION counterfoil.adopt_changes() FROM PUBLIC;

REVOKE ALL ON FUNCTION counterfoil.bought_apart(of_bundle text, of_environment text, of_original text, one timestamp with time zone, other timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.bought_apart(of_bundle text, of_environment text, of_original text, one timestamp with time zone, other timestamp with time zone) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.bought_apart(of_bundle text, of_environment text, of_original text, one timestamp with time zone, other timestamp with time zone) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.bought_apart(of_bundle text, of_environment text, of_original text, one timestamp with time zone, other timestamp with time zone) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.bought_apart(of_bundle text, of_environment text, of_original text, one timestamp with time zone, other timestamp with time zone) TO counterfoil_reader;

REVOKE ALL ON FUNCTION counterfoil.is_one_payment(of_bundle text, of_environment text, of_original text, one_kind text, one_item text, one_purchased_at timestamp with time zone, other_kind text, other_item text, other_purchased_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.is_one_payment(of_bundle text, of_environment text, of_original text, one_kind text, one_item text, one_purchased_at timestamp with time zone, other_kind text, other_item text, other_purchased_at timestamp with time zone) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.is_one_payment(of_bundle text, of_environment text, of_original text, one_kind text, one_item text, one_purchased_at timestamp with time zone, other_kind text, other_item text, other_purchased_at timestamp with time zone) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.is_one_payment(of_bundle text, of_environment text, of_original text, one_kind text, one_item text, one_purchased_at timestamp with time zone, other_kind text, other_item text, other_purchased_at timestamp with time zone) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.is_one_payment(of_bundle text, of_environment text, of_original text, one_kind text, one_item text, one_purchased_at timestamp with time zone, other_kind text, other_item text, other_purchased_at timestamp with time zone) TO counterfoil_reader;

REVOKE ALL ON FUNCTION counterfoil.names_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_key text, of_kind text, of_purchased_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.names_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_key text, of_kind text, of_purchased_at timestamp with time zone) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.names_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_key text, of_kind text, of_purchased_at timestamp with time zone) TO counterfoil_support;

REVOKE ALL ON FUNCTION counterfoil.owner_of_period(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.owner_of_period(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.owner_of_period(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone) TO counterfoil_support;

GRANT SELECT,INSERT ON TABLE counterfoil.revocations TO counterfoil_worker;
GRANT SELECT,INSERT ON TABLE counterfoil.revocations TO counterfoil_support;

GRANT SELECT ON TABLE counterfoil.standing_revocations TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.standing_revocations TO counterfoil_support;

REVOKE ALL ON FUNCTION counterfoil.revocations_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_kind text, of_purchased_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.revocations_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_kind text, of_purchased_at timestamp with time zone) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.revocations_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_kind text, of_purchased_at timestamp with time zone) TO counterfoil_support;

REVOKE ALL ON FUNCTION counterfoil.refund_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_kind text, of_purchased_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.refund_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_kind text, of_purchased_at timestamp with time zone) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.refund_of_payment(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_kind text, of_purchased_at timestamp with time zone) TO counterfoil_support;

REVOKE ALL ON FUNCTION counterfoil.refunds_before(of_bundle text, of_environment text, of_id text, of_original text, of_kind text, of_purchased_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.refunds_before(of_bundle text, of_environment text, of_id text, of_original text, of_kind text, of_purchased_at timestamp with time zone) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.refunds_before(of_bundle text, of_environment text, of_id text, of_original text, of_kind text, of_purchased_at timestamp with time zone) TO counterfoil_support;

REVOKE ALL ON FUNCTION counterfoil.against_grant(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_key text, of_kind text, of_purchased_at timestamp with time zone, of_token uuid, by_account text, order_token uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.against_grant(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_key text, of_kind text, of_purchased_at timestamp with time zone, of_token uuid, by_account text, order_token uuid) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.against_grant(of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_key text, of_kind text, of_purchased_at timestamp with time zone, of_token uuid, by_account text, order_token uuid) TO counterfoil_support;

REVOKE ALL ON FUNCTION counterfoil.attempt_outcome(disposition text, reason text, transaction_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.attempt_outcome(disposition text, reason text, transaction_id text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.attempt_outcome(disposition text, reason text, transaction_id text) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.attempt_outcome(disposition text, reason text, transaction_id text) TO counterfoil_reader;

REVOKE ALL ON FUNCTION counterfoil.can_be_ordered_again(of_id text, of_bundle text, of_environment text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.can_be_ordered_again(of_id text, of_bundle text, of_environment text) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.can_be_ordered_again(of_id text, of_bundle text, of_environment text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.can_be_ordered_again(of_id text, of_bundle text, of_environment text) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.can_be_ordered_again(of_id text, of_bundle text, of_environment text) TO counterfoil_reader;

REVOKE ALL ON FUNCTION counterfoil.client_action(state text, reason text, pending text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.client_action(state text, reason text, pending text) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.client_action(state text, reason text, pending text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.client_action(state text, reason text, pending text) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.client_action(state text, reason text, pending text) TO counterfoil_reader;

REVOKE ALL ON FUNCTION counterfoil.uploads_are_unreadable(order_id text, attempts integer, last_attempt_at timestamp with time zone, uploads integer, period interval, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.uploads_are_unreadable(order_id text, attempts integer, last_attempt_at timestamp with time zone, uploads integer, period interval, most integer) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.uploads_are_unreadable(order_id text, attempts integer, last_attempt_at timestamp with time zone, uploads integer, period interval, most integer) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.uploads_are_unreadable(order_id text, attempts integer, last_attempt_at timestamp with time zone, uploads integer, period interval, most integer) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.uploads_are_unreadable(order_id text, attempts integer, last_attempt_at timestamp with time zone, uploads integer, period interval, most integer) TO counterfoil_reader;

GRANT SELECT,INSERT ON TABLE counterfoil.attempts TO counterfoil_worker;
GRANT SELECT,INSERT ON TABLE counterfoil.attempts TO counterfoil_support;

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
GRANT UPDATE(run_at) ON TABLE counterfoil.jobs TO counterfoil_support;

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

GRANT INSERT(notification_id) ON TABLE counterfoil.jobs TO counterfoil_worker;
GRANT INSERT(notification_id) ON TABLE counterfoil.jobs TO counterfoil_support;

GRANT INSERT(found_by) ON TABLE counterfoil.jobs TO counterfoil_worker;

GRANT SELECT ON TABLE counterfoil.payment_states TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.payment_states TO counterfoil_support;

GRANT SELECT ON TABLE counterfoil.order_status TO counterfoil_backend;
GRANT SELECT ON TABLE counterfoil.order_status TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.order_status TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.order_status TO counterfoil_reader;

REVOKE ALL ON FUNCTION counterfoil.cancel_order(order_id text, why text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.cancel_order(order_id text, why text) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.cancel_order(order_id text, why text) TO counterfoil_support;

REVOKE ALL ON FUNCTION counterfoil.changes_from(since timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.changes_from(since timestamp with time zone) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.changes_from(since timestamp with time zone) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.changes_from(since timestamp with time zone) TO counterfoil_reader;

REVOKE ALL ON FUNCTION counterfoil.changes_since(cursor text, at_most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.changes_since(cursor text, at_most integer) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.changes_since(cursor text, at_most integer) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.changes_since(cursor text, at_most integer) TO counterfoil_reader;

REVOKE ALL ON FUNCTION counterfoil.drop_month_partition(of_table text, by_column text, horizon timestamp with time zone, note text) FROM PUBLIC;

REVOKE ALL ON FUNCTION counterfoil.drop_old_attempts(retention interval) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.drop_old_attempts(retention interval) TO counterfoil_worker;

REVOKE ALL ON FUNCTION counterfoil.drop_old_changes(retention interval) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.drop_old_changes(retention interval) TO counterfoil_worker;

REVOKE ALL ON FUNCTION counterfoil.feed_server() FROM PUBLIC;

REVOKE ALL ON FUNCTION counterfoil.filtered_publications() FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.filtered_publications() TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.filtered_publications() TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.filtered_publications() TO counterfoil_reader;

REVOKE ALL ON FUNCTION counterfoil.import_grants(bundle_id text, environment text, entries jsonb) FROM PUBLIC;

REVOKE ALL ON FUNCTION counterfoil.index_sizes() FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.index_sizes() TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.index_sizes() TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.index_sizes() TO counterfoil_reader;

REVOKE ALL ON FUNCTION counterfoil.keep_payment() FROM PUBLIC;

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

REVOKE ALL ON FUNCTION counterfoil.open_feed() FROM PUBLIC;

REVOKE ALL ON FUNCTION counterfoil.open_orders(account_id text, product_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.open_orders(account_id text, product_id text) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.open_orders(account_id text, product_id text) TO counterfoil_support;

REVOKE ALL ON FUNCTION counterfoil.open_orders_between(of_bundle text, after timestamp with time zone, until timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.open_orders_between(of_bundle text, after timestamp with time zone, until timestamp with time zone) TO counterfoil_worker;

GRANT SELECT ON TABLE counterfoil.apps TO counterfoil_worker;
GRANT SELECT,INSERT,UPDATE ON TABLE counterfoil.apps TO counterfoil_support;

GRANT SELECT ON TABLE counterfoil.products TO counterfoil_worker;
GRANT SELECT,INSERT ON TABLE counterfoil.products TO counterfoil_support;

GRANT UPDATE(kind) ON TABLE counterfoil.products TO counterfoil_support;

GRANT SELECT ON TABLE counterfoil.sandbox_accounts TO counterfoil_worker;
GRANT SELECT,INSERT ON TABLE counterfoil.sandbox_accounts TO counterfoil_support;

GRANT SELECT ON TABLE counterfoil.order_facts TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.order_facts TO counterfoil_support;

REVOKE ALL ON FUNCTION counterfoil.order_of_payment(of_id text, of_bundle text, of_environment text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.order_of_payment(of_id text, of_bundle text, of_environment text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.order_of_payment(of_id text, of_bundle text, of_environment text) TO counterfoil_support;

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

REVOKE ALL ON FUNCTION counterfoil.own_order(shown_for text, by_account text, shown_order_made_at timestamp with time zone, of_bundle text, of_product text, of_kind text, of_quantity integer, of_token uuid, paid_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.own_order(shown_for text, by_account text, shown_order_made_at timestamp with time zone, of_bundle text, of_product text, of_kind text, of_quantity integer, of_token uuid, paid_at timestamp with time zone) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.own_order(shown_for text, by_account text, shown_order_made_at timestamp with time zone, of_bundle text, of_product text, of_kind text, of_quantity integer, of_token uuid, paid_at timestamp with time zone) TO counterfoil_support;

REVOKE ALL ON FUNCTION counterfoil.payments_of_original(of_bundle text, of_environment text, of_original text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.payments_of_original(of_bundle text, of_environment text, of_original text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.payments_of_original(of_bundle text, of_environment text, of_original text) TO counterfoil_support;

REVOKE ALL ON FUNCTION counterfoil.prepare_job() FROM PUBLIC;

REVOKE ALL ON FUNCTION counterfoil.prune_roll_ups(minutes_kept interval, hours_kept interval, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.prune_roll_ups(minutes_kept interval, hours_kept interval, most integer) TO counterfoil_worker;

REVOKE ALL ON FUNCTION counterfoil.queue_notifications() FROM PUBLIC;

REVOKE ALL ON FUNCTION counterfoil.read_snapshot() FROM PUBLIC;

REVOKE ALL ON FUNCTION counterfoil.receive_notification(payload text, source text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.receive_notification(payload text, source text) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.receive_notification(payload text, source text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.receive_notification(payload text, source text) TO counterfoil_support;

REVOKE ALL ON FUNCTION counterfoil.refuse_change() FROM PUBLIC;

REVOKE ALL ON FUNCTION counterfoil.refuse_cursor() FROM PUBLIC;

REVOKE ALL ON FUNCTION counterfoil.renewed_account(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, of_reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.renewed_account(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, of_reason text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.renewed_account(of_bundle text, of_environment text, of_original text, of_purchased_at timestamp with time zone, of_reason text) TO counterfoil_support;

REVOKE ALL ON FUNCTION counterfoil.replication_facts() FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.replication_facts() TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.replication_facts() TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.replication_facts() TO counterfoil_reader;

REVOKE ALL ON FUNCTION counterfoil.roll_up() FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.roll_up() TO counterfoil_worker;

REVOKE ALL ON FUNCTION counterfoil.roll_up_hours(first_hour timestamp with time zone, past_last timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION counterfoil.roll_up_minutes(first_minute timestamp with time zone, past_last timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION counterfoil.search_ages() FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.search_ages() TO counterfoil_worker;

REVOKE ALL ON FUNCTION counterfoil.snapshot_holders() FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.snapshot_holders() TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.snapshot_holders() TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.snapshot_holders() TO counterfoil_reader;

REVOKE ALL ON FUNCTION counterfoil.submit(order_id text, bundle_id text, product_id text, account_id text, proof text, quantity integer, app_account_token uuid, recovery boolean, transaction_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.submit(order_id text, bundle_id text, product_id text, account_id text, proof text, quantity integer, app_account_token uuid, recovery boolean, transaction_id text) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.submit(order_id text, bundle_id text, product_id text, account_id text, proof text, quantity integer, app_account_token uuid, recovery boolean, transaction_id text) TO counterfoil_support;

REVOKE ALL ON FUNCTION counterfoil.take_from_history(payload text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.take_from_history(payload text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.take_from_history(payload text) TO counterfoil_support;

REVOKE ALL ON FUNCTION counterfoil.tell_consumption_request() FROM PUBLIC;

REVOKE ALL ON FUNCTION counterfoil.tell_found() FROM PUBLIC;

REVOKE ALL ON FUNCTION counterfoil.tell_orders() FROM PUBLIC;

REVOKE ALL ON FUNCTION counterfoil.tell_refund() FROM PUBLIC;

REVOKE ALL ON FUNCTION counterfoil.tell_standing_refund(of_order text) FROM PUBLIC;

REVOKE ALL ON FUNCTION counterfoil.tell_unclaimed() FROM PUBLIC;

GRANT SELECT ON TABLE counterfoil.transaction_status TO counterfoil_backend;
GRANT SELECT ON TABLE counterfoil.transaction_status TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.transaction_status TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.transaction_status TO counterfoil_reader;

REVOKE ALL ON FUNCTION counterfoil.transaction_status_of(bundle_id text, environment text, transaction_id text, account_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.transaction_status_of(bundle_id text, environment text, transaction_id text, account_id text) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.transaction_status_of(bundle_id text, environment text, transaction_id text, account_id text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.transaction_status_of(bundle_id text, environment text, transaction_id text, account_id text) TO counterfoil_support;
GRANT ALL ON FUNCTION counterfoil.transaction_status_of(bundle_id text, environment text, transaction_id text, account_id text) TO counterfoil_reader;

REVOKE ALL ON FUNCTION counterfoil.unclaimed_for_order(of_order text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.unclaimed_for_order(of_order text) TO counterfoil_worker;
GRANT ALL ON FUNCTION counterfoil.unclaimed_for_order(of_order text) TO counterfoil_support;

REVOKE ALL ON FUNCTION counterfoil.upload_status(job_id bigint, account_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION counterfoil.upload_status(job_id bigint, account_id text) TO counterfoil_backend;
GRANT ALL ON FUNCTION counterfoil.upload_status(job_id bigint, account_id text) TO counterfoil_support;

GRANT SELECT,INSERT ON TABLE counterfoil.answered_orders TO counterfoil_worker;
GRANT SELECT,INSERT ON TABLE counterfoil.answered_orders TO counterfoil_support;

GRANT SELECT ON TABLE counterfoil.lane_backlogs TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.lane_backlogs TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.lane_backlogs TO counterfoil_reader;

GRANT SELECT ON TABLE counterfoil.app_store_health TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.app_store_health TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.app_store_health TO counterfoil_reader;

GRANT SELECT ON TABLE counterfoil.attempts_default TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.attempts_default TO counterfoil_support;

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

GRANT SELECT,INSERT ON TABLE counterfoil.consumption_requests TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.consumption_requests TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.consumption_requests TO counterfoil_reader;

GRANT UPDATE(closed_at) ON TABLE counterfoil.consumption_requests TO counterfoil_worker;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE counterfoil.credential_refusals TO counterfoil_worker;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE counterfoil.credential_refusals TO counterfoil_support;

GRANT SELECT ON TABLE counterfoil.grants TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.grants TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.grants TO counterfoil_reader;

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

GRANT SELECT ON TABLE counterfoil.notification_silence TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.notification_silence TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.notification_silence TO counterfoil_reader;

GRANT SELECT ON TABLE counterfoil.privileges TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.privileges TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.privileges TO counterfoil_reader;

GRANT SELECT ON TABLE counterfoil.standing_privileges TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.standing_privileges TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.standing_privileges TO counterfoil_reader;

GRANT SELECT ON TABLE counterfoil.privilege_differences TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.privilege_differences TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.privilege_differences TO counterfoil_reader;

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

GRANT SELECT ON TABLE counterfoil.migrations TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.migrations TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.migrations TO counterfoil_reader;

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

GRANT SELECT ON TABLE counterfoil.order_story TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.order_story TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.order_story TO counterfoil_reader;

GRANT INSERT ON TABLE counterfoil.orders_in_review TO counterfoil_worker;
GRANT INSERT ON TABLE counterfoil.orders_in_review TO counterfoil_support;

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

GRANT SELECT ON TABLE counterfoil.product_funnel TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.product_funnel TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.product_funnel TO counterfoil_reader;

GRANT SELECT ON TABLE counterfoil.refusal_standings TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.refusal_standings TO counterfoil_support;

GRANT SELECT ON TABLE counterfoil.rejections TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.rejections TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.rejections TO counterfoil_reader;

GRANT SELECT ON TABLE counterfoil.role_settings TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.role_settings TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.role_settings TO counterfoil_reader;

GRANT SELECT ON TABLE counterfoil.searches TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.searches TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.searches TO counterfoil_reader;

GRANT UPDATE(searched_to) ON TABLE counterfoil.searches TO counterfoil_worker;

GRANT SELECT ON TABLE counterfoil.stuck_orders TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.stuck_orders TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.stuck_orders TO counterfoil_reader;

GRANT SELECT,INSERT,UPDATE ON TABLE counterfoil.subscriptions TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.subscriptions TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.subscriptions TO counterfoil_reader;

GRANT SELECT ON TABLE counterfoil.subscription_status TO counterfoil_backend;
GRANT SELECT ON TABLE counterfoil.subscription_status TO counterfoil_worker;
GRANT SELECT ON TABLE counterfoil.subscription_status TO counterfoil_support;
GRANT SELECT ON TABLE counterfoil.subscription_status TO counterfoil_reader;

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
