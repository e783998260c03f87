#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# A small shop. Its goods are in a database of its own. Counterfoil's database says what was paid. protocol.md lists the commands.
import hashlib, http.server, json, os, sys, time, uuid
import psycopg
from psycopg.rows import dict_row

bundle = os.environ.get("SHOP_BUNDLE", "com.example.puzzle")
shop = psycopg.connect(os.environ["SHOP_DATABASE"], row_factory=dict_row)
counterfoil = psycopg.connect(os.environ["COUNTERFOIL_DATABASE"], row_factory=dict_row, autocommit=True)
command, *words = sys.argv[1:]
of_payment = "where (bundle_id, environment, transaction_id) = (%s, %s, %s)"

def ask(sql, *values):  # Counterfoil's database: each statement is committed at once
    answer = counterfoil.execute(sql, values)
    return answer.fetchall() if answer.description else []
def proof():
    return sys.stdin.buffer.read().decode()
def deliver(paid):  # the key refuses a second delivery of a transaction
    shop.execute("insert into deliveries values (%s, %s, %s, %s, %s, %s, %s, %s) on conflict do nothing",
        [paid["bundle_id"], paid["environment"], paid["transaction_id"], paid["order_id"], paid["account_id"],
         paid["product_id"], paid["quantity"], paid["refunded_share"]])
def before_finish(account, orders):  # finish is passed on only after this commit
    for order in orders:
        for paid in ask("""select bundle_id, environment, transaction_id, order_id, account_id, product_id, quantity,
                case when refunded_at is not null then refunded_share else 0 end as refunded_share
                from counterfoil.order_status_of(%s, %s) where state = 'fulfilled'""", order, account):
            deliver(paid)
    shop.commit()

def apply(change):  # a change of the feed
    kind, share, details = change["kind"], change.get("refunded_share"), change.get("details") or {}
    payment = [change.get(name) for name in ("bundle_id", "environment", "transaction_id")]
    # A period that is called otherwise now: it is this account's, or nobody's.
    is_owned = details.get("after", {}).get("name") in ("renewal", "granted")
    if kind in ("order_fulfilled", "order_partly_refunded", "refund_reversed", "subscription_renewed") or is_owned:
        deliver(change | {"refunded_share": share or 0})
    shares = {"order_refunded": 100, "order_partly_refunded": share, "refund_reversed": 0,
        "payment_refunded": share, "payment_refund_reversed": 0}
    if kind in shares:
        shop.execute("update deliveries set refunded_share = %s " + of_payment, [shares[kind], *payment])
    elif is_owned or kind == "order_transferred":
        shop.execute("update deliveries set account_id = %s " + of_payment, [change["account_id"], *payment])
    elif kind == "payment_renamed":
        shop.execute("delete from deliveries " + of_payment, payment)
    elif kind in ("account_moved", "account_forgotten"):  # in all that the shop has
        names = {"old": details.get("from_account", change["account_id"]), "now": details.get("to_account") or details["pseudonym"]}
        shop.execute("update deliveries set account_id = %(now)s where account_id = %(old)s", names)
        shop.execute("""update subscriptions set state = jsonb_set(state, '{account_id}', to_jsonb(%(now)s::text))
            where state ->> 'account_id' = %(old)s""", names)
    elif kind == "subscription_changed":  # its whole state: the latest replaces the one before
        shop.execute("""insert into subscriptions values (%s, %s, %s, %s)
            on conflict (bundle_id, environment, original_transaction_id) do update set state = excluded.state""",
            [*payment[:2], details["original_transaction_id"], json.dumps(details)])
def notified(body):  # the address for Apple's notifications: what its request is answered with
    try:
        with psycopg.connect(os.environ["COUNTERFOIL_DATABASE"], autocommit=True) as session:
            [answer] = session.execute("select counterfoil.receive_notification(%s)", [body]).fetchone()
            session.execute("notify counterfoil_jobs")
        return 400 if answer.startswith("unreadable") else 503 if answer == "being_stored" else 200
    except psycopg.DataError:  # it is no text
        return 400
    except psycopg.Error as error:  # Apple sends it again after 503
        return 413 if error.diag.constraint_name == "notification_has_at_most_256_kib" else 503
class Address(http.server.BaseHTTPRequestHandler):  # behind a proxy with TLS, which bounds bodies
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        self.send_response(notified(body.decode(errors="replace")))
        self.end_headers()

def show(answer):
    print(json.dumps(answer, default=float))

if command == "setup":
    # refunded_share: 0 is nothing, 100 is the whole. Null is a part of unknown size.
    shop.execute("""create table deliveries (bundle_id text, environment text, transaction_id text, order_id text, account_id text,
        product_id text, quantity integer, refunded_share numeric, primary key (bundle_id, environment, transaction_id));
        create table subscriptions (bundle_id text, environment text, original_transaction_id text, state jsonb,
        primary key (bundle_id, environment, original_transaction_id))""")
    shop.execute("create table feed as select %s as cursor", [ask("select counterfoil.changes_from('infinity') as cursor")[0]["cursor"]])
    shop.commit()
elif command == "order":  # ACCOUNT PRODUCT QUANTITY [TOKEN [ORDER]]
    account, product, quantity, token, order = (words + [""] * 2)[:5]
    order = order or str(uuid.uuid4())
    ask("""insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, quantity, app_account_token)
        values (%s, %s, %s, %s, %s, %s)""", order, bundle, product, account, quantity, token or None)
    print(order)
elif command == "upload":  # ORDER ACCOUNT [TRANSACTION] <PROOF
    order, account, transaction = (words + [None])[:3]
    print(ask("""insert into counterfoil.jobs (order_id, account_id, proof, transaction_id) values (%s, %s, %s, %s)
        returning id""", order, account, proof(), transaction)[0]["id"])
    ask("notify counterfoil_jobs")
elif command == "poll":  # ORDER ACCOUNT
    for status in ask("""select state, reason, client_action, transaction_id, order_again_product_id, order_again_quantity,
            order_again_transaction_id, bundle_id, environment from counterfoil.order_status_of(%s, %s)""", *words):
        if status["client_action"] == "finish":  # another order of the account may have been granted the payment
            before_finish(words[1], [row["order_id"] for row in ask(
                "select order_id from counterfoil.transaction_status_of(%s, %s, %s, %s)",
                status["bundle_id"], status["environment"], status["transaction_id"], words[1])])
        show(status)
elif command == "uploaded":  # JOB ACCOUNT
    payments = ask("select * from counterfoil.upload_status(%s, %s)", *words)
    before_finish(words[1], [payment["paid_order_id"] for payment in payments])
    show(payments)
elif command == "again":  # ORDER ACCOUNT [TRANSACTION] <PROOF; TRANSACTION is a second payment of the order
    order, account, transaction = (words + [None])[:3]
    for made in ask("""select s.order_id from counterfoil.order_status_of(%s, %s) o
            left join counterfoil.transaction_status_of(o.bundle_id, null, %s, o.account_id) t on t.client_action = 'order_again'
            cross join lateral (select coalesce(t.transaction_id, o.order_again_transaction_id) as id) p
            cross join lateral counterfoil.submit(
                'again-' || p.id, o.bundle_id, coalesce(t.product_id, o.order_again_product_id), o.account_id, %s,
                coalesce(t.quantity, o.order_again_quantity), o.app_account_token, transaction_id => p.id) s
            where p.id is not null""", order, account, transaction, proof()):
        print(made["order_id"])
elif command == "found":  # ACCOUNT PRODUCT BUNDLE TRANSACTION <PROOF; the id has the account's digest, or another account could take it first
    account, product, bundle, transaction = words
    print(ask("select order_id from counterfoil.submit(%s, %s, %s, %s, %s, recovery => true)",
        f"found-{transaction}-{hashlib.sha256(account.encode()).hexdigest()[:16]}", bundle, product, account, proof())[0]["order_id"])
elif command == "open":  # ACCOUNT PRODUCT
    show([row["order_id"] for row in ask("select order_id from counterfoil.open_orders(%s, %s)", *words)])
elif command == "cancel":  # ORDER
    ask("select counterfoil.cancel_order(%s, 'the customer cancelled')", *words)
elif command == "notified":  # <BODY
    print(notified(sys.stdin.buffer.read().decode(errors="replace")))
elif command == "serve":  # PORT
    http.server.ThreadingHTTPServer(("127.0.0.1", int(words[0])), Address).serve_forever()
elif command == "follow":  # [once]
    while True:
        cursor = shop.execute("select cursor from feed for update").fetchone()["cursor"]  # one reader at a time
        try:
            changes = ask("select * from counterfoil.changes_since(%s, 100)", cursor)
        except psycopg.Error as error:
            if error.sqlstate != "ZCU01":
                raise
            # The cursor is unknown: begin anew, with what this reader may not have been told. What was delivered stays.
            cursor = ask("select counterfoil.changes_from_cursor(%s) as cursor", cursor)[0]["cursor"]
            changes = [{"kind": "", "next_cursor": cursor}]
        for change in changes:
            apply(change)
            shop.execute("update feed set cursor = %s", [change["next_cursor"]])
        shop.commit()  # the deliveries and the cursor together
        if not changes and words:
            break
        time.sleep(0 if changes else 1)
elif command == "deliveries":
    show(shop.execute("select * from deliveries order by order_id, transaction_id").fetchall())
elif command == "subscriptions":
    show(shop.execute("select bundle_id, environment, state from subscriptions order by original_transaction_id").fetchall())
