#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# A small shop that has no route to Counterfoil's database: it speaks HTTP to the gateway. Its goods are in a database of its own.
import base64, hashlib, http.server, json, os, re, ssl, sys, time, urllib.error, urllib.parse, urllib.request, uuid
import psycopg
from psycopg.rows import dict_row

bundle = os.environ.get("SHOP_BUNDLE", "com.example.puzzle")
shop = psycopg.connect(os.environ["SHOP_DATABASE"], row_factory=dict_row)
command, *words = sys.argv[1:]
of_payment = "where (bundle_id, environment, transaction_id) = (%s, %s, %s)"
Problem = type("Problem", (Exception,), {})  # its members
def name(text):  # an id in a path or a header: proxies decode, merge or refuse much that isn't plain
    plain = re.fullmatch("[A-Za-z0-9._-]{1,200}", text) and text not in (".", "..")
    return text if plain else "~" + base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")
def send(method, url, body, headers):
    request = urllib.request.Request(url, body, headers, method=method)
    context = ssl.create_default_context(cafile=os.environ.get("GATEWAY_CA")) if url.startswith("https:") else None
    try:
        with urllib.request.urlopen(request, timeout=40, context=context) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()
def call(method, path, account="-", body=None, **query):  # a body is JSON, or bytes, which are a proof
    query = urllib.parse.urlencode({member: value for member, value in query.items() if value})
    kind, body = ("text/plain", body) if isinstance(body, bytes) else ("application/json", body and json.dumps(body).encode())
    headers = {"Authorization": "Bearer " + os.environ["GATEWAY_KEY"], "Counterfoil-Account": name(account), "Content-Type": kind}
    for _ in range(10):  # every write may be repeated
        status, answer = send(method, os.environ["GATEWAY_URL"] + path + (query and "?" + query), body, headers)
        if status not in (429, 502, 503, 504):
            break
        time.sleep(1)
    if status >= 400 and (status, method) != (404, "GET"):
        raise Problem(json.loads(answer))
    return json.loads(answer) if status < 400 else {}  # another account's is answered as an unknown one
def read(order, account):
    return call("GET", "/v1/orders/" + name(order), account)
def put(order, account, **members):
    call("PUT", "/v1/orders/" + name(order), account, {member: value for member, value in members.items() if value is not None})
    shop.execute("insert into orders values (%s, %s) on conflict do nothing", [order, account])
    shop.commit()
    print(order)
def deliver(paid):  # the key refuses a second delivery of a transaction
    shop.execute("""insert into deliveries values (%(bundle_id)s, %(environment)s, %(transaction_id)s, %(order_id)s, %(account_id)s,
        %(product_id)s, %(quantity)s, %(refunded_share)s) on conflict do nothing""", paid)
def before_finish(account, orders):  # finish is passed on only after this commit
    for paid in [read(order, account) for order in set(orders) - {None}]:
        if paid and paid["state"] == "fulfilled":
            deliver(paid | {"refunded_share": paid["refunded_share"] if paid["refunded_at"] else 0})
    shop.commit()
def apply(change):  # a change of the feed
    kind, share, details = change["kind"], change["refunded_share"], change["details"] or {}
    payment = [change[member] for member in ("bundle_id", "environment", "transaction_id")]
    is_owned = details.get("after", {}).get("name") in ("renewal", "granted")  # a period that is called otherwise now
    if kind in ("order_fulfilled", "order_partly_refunded", "refund_reversed", "subscription_renewed") or is_owned:
        deliver(change | {"refunded_share": share or 0})
    shares = dict(order_refunded=100, order_partly_refunded=share, refund_reversed=0, payment_refunded=share, payment_refund_reversed=0)
    if kind in shares:
        shop.execute("update deliveries set refunded_share = %s " + of_payment, [shares[kind], *payment])
    elif is_owned or kind == "order_transferred":
        shop.execute("update deliveries set account_id = %s " + of_payment, [change["account_id"], *payment])
    elif kind == "payment_renamed":
        shop.execute("delete from deliveries " + of_payment, payment)
    elif kind == "subscription_changed":  # its whole state: the latest replaces the one before
        shop.execute("""insert into subscriptions values (%s, %s, %s, %s)
            on conflict (bundle_id, environment, original_transaction_id) do update set state = excluded.state""",
            [*payment[:2], details["original_transaction_id"], json.dumps(details)])
    elif kind in ("account_moved", "account_forgotten"):  # in all that the shop has
        names = {"old": details.get("from_account", change["account_id"]), "now": details.get("to_account") or details["pseudonym"]}
        for table in ("deliveries", "orders"):
            shop.execute(f"update {table} set account_id = %(now)s where account_id = %(old)s", names)
        shop.execute("""update subscriptions set state = jsonb_set(state, '{account_id}', to_jsonb(%(now)s::text))
            where state ->> 'account_id' = %(old)s""", names)
def notified(body):  # what Apple's request is answered with; Apple sends it again after 503
    try:
        return send("POST", os.environ["GATEWAY_APPLE"], body, {"Content-Type": "application/json"})[0]
    except OSError:
        return 503
class Address(http.server.BaseHTTPRequestHandler):  # an address of the shop's own: it passes all on
    def do_POST(self):
        self.send_response(notified(self.rfile.read(int(self.headers.get("content-length", 0)))))
        self.end_headers()
def transactions(app, transaction, account):
    return call("GET", "/v1/transactions", account, bundle_id=app, transaction_id=transaction)["transactions"]

if command == "setup":
    shop.execute("""create table deliveries (bundle_id text, environment text, transaction_id text, order_id text, account_id text,
        product_id text, quantity integer, refunded_share numeric, primary key (bundle_id, environment, transaction_id))""")
    shop.execute("""create table subscriptions (bundle_id text, environment text, original_transaction_id text, state jsonb,
        primary key (bundle_id, environment, original_transaction_id)); create table orders (order_id text primary key, account_id text)""")
    shop.execute("create table feed as select %s as cursor", [call("GET", "/v1/changes/start", **{"from": "now"})["next"]])
    shop.commit()
elif command == "order":  # ACCOUNT PRODUCT QUANTITY [TOKEN [ORDER]]
    account, product, quantity, token, order = (words + [""] * 2)[:5]
    put(order or str(uuid.uuid4()), account, bundle_id=bundle, product_id=product, quantity=int(quantity), app_account_token=token or None)
elif command == "upload":  # ORDER ACCOUNT [TRANSACTION] <PROOF
    made = call("POST", f"/v1/orders/{name(words[0])}/proofs", words[1], sys.stdin.buffer.read(), transaction_id=(words + [""])[2])
    print(made["job_id"])
elif command == "poll":  # ORDER ACCOUNT
    if status := read(*words):
        if status["client_action"] == "finish":  # another order of the account may have been granted the payment
            before_finish(words[1], [row["order_id"] for row in transactions(status["bundle_id"], status["transaction_id"], words[1])])
        print(json.dumps(status))
elif command == "uploaded":  # JOB ACCOUNT
    payments = call("GET", "/v1/uploads/" + words[0], words[1], wait=5).get("uploads", [])
    before_finish(words[1], [payment["paid_order_id"] for payment in payments])
    print(json.dumps(payments))
elif command == "again":  # ORDER ACCOUNT [TRANSACTION] <PROOF; TRANSACTION is a second payment of the order
    order, account, transaction = (words + [None])[:3]
    if status := read(order, account):
        paid = {each: status["order_again_" + each] for each in ("transaction_id", "product_id", "quantity")}
        for row in transactions(status["bundle_id"], transaction, account) if transaction else []:
            paid = {each: row[each] for each in paid} if row["client_action"] == "order_again" else paid
        if paid["transaction_id"]:
            put("again-" + paid["transaction_id"], account, bundle_id=status["bundle_id"], **paid, proof=sys.stdin.read(),
                app_account_token=status["app_account_token"])
elif command == "found":  # ACCOUNT PRODUCT BUNDLE TRANSACTION <PROOF; with the account's digest: another could take the id first
    account, product, app, transaction = words
    order = f"found-{transaction}-{hashlib.sha256(account.encode()).hexdigest()[:16]}"
    put(order, account, bundle_id=app, product_id=product, proof=sys.stdin.read(), recovery=True)
elif command == "open":  # ACCOUNT PRODUCT
    orders = call("GET", "/v1/orders", words[0], product_id=words[1], payable="true")["orders"]
    print(json.dumps([each["order_id"] for each in reversed(orders)]))
elif command == "cancel":  # ORDER
    account = shop.execute("select account_id from orders where order_id = %s", words).fetchone()["account_id"]
    call("POST", f"/v1/orders/{name(words[0])}/cancel", account, {"why": "the customer cancelled"})
elif command == "notified":  # <BODY; Apple sends it to the gateway by itself
    print(notified(sys.stdin.buffer.read()))
elif command == "serve":  # PORT
    http.server.ThreadingHTTPServer(("127.0.0.1", int(words[0])), Address).serve_forever()
elif command == "follow":  # [once]
    while True:
        cursor = shop.execute("select cursor from feed for update").fetchone()["cursor"]  # one reader at a time
        try:
            page = call("GET", "/v1/changes", after=cursor, limit=100, wait=0 if words else 25)
        except Problem as gone:
            if gone.args[0]["type"] != "/problems/cursor_unknown":
                raise
            # Begin anew, with what this reader may not have been told. What was delivered stays.
            page = {"changes": []} | (gone.args[0] if "next" in gone.args[0] else call("GET", "/v1/changes/start", **{"from": "oldest"}))
        list(map(apply, page["changes"]))
        shop.execute("update feed set cursor = %s", [page["next"]])
        shop.commit()  # the deliveries and the cursor together
        if words and not page["changes"] and not page.get("more", True):
            break
elif command == "deliveries":
    print(json.dumps(shop.execute("select * from deliveries order by order_id, transaction_id").fetchall(), default=float))
elif command == "subscriptions":
    print(json.dumps(shop.execute("select bundle_id, environment, state from subscriptions order by original_transaction_id").fetchall()))
