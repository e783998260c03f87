// SPDX-License-Identifier: Apache-2.0
// A small shop. Its goods are in a database of its own. Counterfoil's database says what was paid. protocol.md lists the commands.
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.sql.*;
import java.util.*;
class Shop {
    static final String PAYMENT = " jsonb_populate_record(null::deliveries, ?) p"
        + " where (d.bundle_id, d.environment, d.transaction_id) = (p.bundle_id, p.environment, p.transaction_id)";
    static final String NAMES = " (select coalesce(c #>> '{details,from_account}', c ->> 'account_id') as old,"
        + " coalesce(c #>> '{details,to_account}', c #>> '{details,pseudonym}') as now from (select ?::jsonb) as t (c)) n";
    static Connection shop, counterfoil;
    static Connection connect(String variable) throws SQLException { // stringtype: the server knows which type a parameter has
        return DriverManager.getConnection(System.getenv(variable).replaceFirst("^postgres(?:ql)?://([^:@/]*):?([^@/]*)@([^?]*).*",
            "jdbc:postgresql://$3?user=$1&password=$2&stringtype=unspecified"));
    }
    static List<Map<String, String>> ask(Connection database, String sql, String... values) throws SQLException {
        try (PreparedStatement statement = database.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) statement.setString(i + 1, values[i]);
            List<Map<String, String>> rows = new ArrayList<>();
            ResultSet answer = statement.execute() ? statement.getResultSet() : null;
            while (answer != null && answer.next()) {
                rows.add(new LinkedHashMap<>());
                for (int i = 1; i <= answer.getMetaData().getColumnCount(); i++)
                    rows.get(rows.size() - 1).put(answer.getMetaData().getColumnLabel(i), answer.getString(i));
            }
            return rows;
        }
    }
    static void keep(String sql, String... values) throws SQLException { ask(shop, sql, values); }
    static void print(List<Map<String, String>> rows) { rows.forEach(row -> System.out.println(row.values().iterator().next())); }
    static String input() throws Exception { return new String(System.in.readAllBytes(), "UTF-8"); }
    static void deliver(String paid) throws SQLException { // the key refuses a second delivery of a transaction
        keep("insert into deliveries select * from jsonb_populate_record(null::deliveries, ?) on conflict do nothing", paid);
    }
    static void beforeFinish(String orders, String... values) throws SQLException { // finish is passed on only after this commit
        for (Map<String, String> row : ask(counterfoil, "select to_jsonb(s) || jsonb_build_object('refunded_share', case when s.refunded_at"
            + " is not null then s.refunded_share else 0 end) as paid from (" + orders + ") o cross join lateral"
            + " counterfoil.order_status_of(o.order_id, o.account_id) s where s.state = 'fulfilled'", values)) deliver(row.get("paid"));
        shop.commit();
    }
    static void apply(String kind, String name, String share, String change) throws SQLException { // a change of the feed
        // A period that is called otherwise now: it is this account's, or nobody's.
        boolean isOwned = "renewal".equals(name) || "granted".equals(name);
        if (isOwned || Set.of("order_fulfilled", "order_partly_refunded", "refund_reversed", "subscription_renewed").contains(kind))
            deliver(change);
        switch (kind) {
            case "order_refunded", "order_partly_refunded", "refund_reversed", "payment_refunded", "payment_refund_reversed" ->
                keep("update deliveries d set refunded_share = ? from" + PAYMENT,
                    kind.equals("order_refunded") ? "100" : kind.endsWith("_reversed") ? "0" : share, change);
            case "payment_renamed", "order_transferred" -> keep((isOwned || kind.equals("order_transferred")
                ? "update deliveries d set account_id = p.account_id from" : "delete from deliveries d using") + PAYMENT, change);
            case "subscription_changed" -> // its whole state: the latest replaces the one before
                keep("insert into subscriptions select * from jsonb_populate_record(null::subscriptions, ?)"
                    + " on conflict (bundle_id, environment, original_transaction_id) do update set state = excluded.state", change);
            case "account_moved", "account_forgotten" -> { // in all that the shop has
                keep("update deliveries d set account_id = n.now from" + NAMES + " where d.account_id = n.old", change);
                keep("update subscriptions s set state = jsonb_set(s.state, '{account_id}', to_jsonb(n.now)) from" + NAMES
                    + " where s.state ->> 'account_id' = n.old", change);
            }
        }
    }
    static int notified(String body) { // the address for Apple's notifications: what its request is answered with
        try (Connection session = connect("COUNTERFOIL_DATABASE")) {
            String answer = ask(session, "select counterfoil.receive_notification(?) as answer", body).get(0).get("answer");
            ask(session, "notify counterfoil_jobs");
            return answer.startsWith("unreadable") ? 400 : answer.equals("being_stored") ? 503 : 200;
        } catch (SQLException error) { // 22021: it is no text. Apple sends it again after 503
            if ("22021".equals(error.getSQLState())) return 400;
            return error.getMessage().contains("[notification_has_at_most_256_kib]") ? 413 : 503;
        }
    }
    static void serve(int port) throws Exception { // behind a proxy with TLS, which bounds bodies
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.createContext("/", request -> request.sendResponseHeaders(request.getRequestMethod().equals("POST")
            ? notified(new String(request.getRequestBody().readAllBytes(), "UTF-8")) : 405, -1));
        server.setExecutor(java.util.concurrent.Executors.newFixedThreadPool(8));
        server.start();
    }
    static void follow(boolean once) throws Exception {
        for (List<Map<String, String>> changes = null; changes == null || !changes.isEmpty() || !once;) {
            String cursor = ask(shop, "select cursor from feed for update").get(0).get("cursor"); // one reader at a time
            try {
                changes = ask(counterfoil, "select *, details #>> '{after,name}' as name, to_jsonb(c) || jsonb_build_object('refunded_share',"
                    + " coalesce(refunded_share, 0), 'state', details) as change from counterfoil.changes_since(?, 100) c", cursor);
            } catch (SQLException error) {
                if (!"ZCU01".equals(error.getSQLState())) throw error;
                // The cursor is unknown: begin anew, with what this reader may not have been told. What was delivered stays.
                changes = ask(counterfoil, "select '' as kind, counterfoil.changes_from_cursor(?) as next_cursor", cursor);
            }
            for (Map<String, String> row : changes) {
                apply(row.get("kind"), row.get("name"), row.get("refunded_share"), row.get("change"));
                keep("update feed set cursor = ?", row.get("next_cursor"));
            }
            shop.commit(); // the deliveries and the cursor together
            if (changes.isEmpty() && !once) Thread.sleep(1000);
        }
    }
    public static void main(String[] arguments) throws Exception {
        (shop = connect("SHOP_DATABASE")).setAutoCommit(false);
        counterfoil = connect("COUNTERFOIL_DATABASE"); // each statement is committed at once
        String[] word = Arrays.copyOfRange(arguments, 1, 7); // null where there is none
        switch (arguments[0]) {
            case "setup" -> // refunded_share: 0 is nothing, 100 is the whole. Null is a part of unknown size.
                keep("create table deliveries (bundle_id text, environment text, transaction_id text, order_id text, account_id text,"
                    + " product_id text, quantity integer, refunded_share numeric, primary key (bundle_id, environment, transaction_id));"
                    + " create table subscriptions (bundle_id text, environment text, original_transaction_id text, state jsonb, primary key"
                    + " (bundle_id, environment, original_transaction_id)); create table feed as select ?::text as cursor",
                    ask(counterfoil, "select counterfoil.changes_from('infinity') as cursor").get(0).get("cursor"));
            case "order" -> // ACCOUNT PRODUCT QUANTITY [TOKEN [ORDER]]
                print(ask(counterfoil, "insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, quantity,"
                    + " app_account_token) values (coalesce(nullif(?, ''), gen_random_uuid()::text), ?, ?, ?, ?, nullif(?, '')::uuid)"
                    + " returning order_id", word[4], System.getenv("SHOP_BUNDLE"), word[1], word[0], word[2], word[3]));
            case "upload" -> // ORDER ACCOUNT [TRANSACTION] <PROOF
                print(ask(counterfoil, "insert into counterfoil.jobs (order_id, account_id, proof, transaction_id) values (?, ?, ?, ?)"
                    + " returning id, pg_notify('counterfoil_jobs', '')", word[0], word[1], input(), word[2]));
            case "poll" -> { // ORDER ACCOUNT; another order of the account may have been granted the payment
                var status = ask(counterfoil, "select to_json(s) from counterfoil.order_status_of(?, ?) s", word[0], word[1]);
                beforeFinish("select t.order_id, t.account_id from counterfoil.order_status_of(?, ?) p cross join lateral counterfoil"
                    + ".transaction_status_of(p.bundle_id, p.environment, p.transaction_id, p.account_id) t", word[0], word[1]);
                print(status);
            }
            case "uploaded" -> { // JOB ACCOUNT
                var payments = ask(counterfoil, "select coalesce(json_agg(u), '[]') from counterfoil.upload_status(?, ?) u", word[0], word[1]);
                beforeFinish("select paid_order_id as order_id, ? as account_id from counterfoil.upload_status(?, ?)", word[1], word[0], word[1]);
                print(payments);
            }
            case "again" -> // ORDER ACCOUNT [TRANSACTION] <PROOF; TRANSACTION is a second payment of the order
                print(ask(counterfoil, "select s.order_id from counterfoil.order_status_of(?, ?) o left join counterfoil"
                    + ".transaction_status_of(o.bundle_id, null, ?, o.account_id) t on t.client_action = 'order_again' cross join lateral"
                    + " (select coalesce(t.transaction_id, o.order_again_transaction_id) as id) p cross join lateral counterfoil.submit("
                    + "'again-' || p.id, o.bundle_id, coalesce(t.product_id, o.order_again_product_id), o.account_id, ?, coalesce(t.quantity,"
                    + " o.order_again_quantity), o.app_account_token, transaction_id => p.id) s where p.id is not null",
                    word[0], word[1], word[2], input()));
            case "found" -> // ACCOUNT PRODUCT BUNDLE TRANSACTION <PROOF; with the account's digest, or another could take the id first
                print(ask(counterfoil, "select order_id from counterfoil.submit('found-' || ? || '-' || left(encode(sha256(convert_to(?,"
                    + " 'UTF8')), 'hex'), 16), ?, ?, ?, ?, recovery => true)", word[3], word[0], word[2], word[1], word[0], input()));
            case "open" -> // ACCOUNT PRODUCT
                print(ask(counterfoil, "select coalesce(json_agg(order_id), '[]') from counterfoil.open_orders(?, ?)", word[0], word[1]));
            case "cancel" -> ask(counterfoil, "select counterfoil.cancel_order(?, 'the customer cancelled')", word[0]); // ORDER
            case "notified" -> System.out.println(notified(input())); // <BODY
            case "serve" -> serve(Integer.parseInt(word[0])); // PORT
            case "follow" -> follow(word[0] != null); // [once]
            case "deliveries" -> print(ask(shop, "select coalesce(json_agg(d order by order_id, transaction_id), '[]') from deliveries d"));
            case "subscriptions" -> print(ask(shop, "select coalesce(json_agg(s), '[]') from subscriptions s"));
        }
        shop.commit();
    }
}
