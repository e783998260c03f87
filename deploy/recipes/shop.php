#!/usr/bin/env php
<?php
// SPDX-License-Identifier: Apache-2.0
// A small shop. Its goods are in a database of its own. Counterfoil's database says what was paid. protocol.md lists the commands.
function query($database, $sql, $values) {  // pg_query_params hides the SQLSTATE of an error
    pg_send_query_params($database, $sql, $values);
    $result = pg_get_result($database);
    while (pg_get_result($database)) {}
    if (!($state = pg_result_error_field($result, PGSQL_DIAG_SQLSTATE))) return pg_fetch_all($result);
    $rule = pg_result_error_field($result, PGSQL_DIAG_CONSTRAINT_NAME);
    throw new RuntimeException($state . ' ' . pg_result_error_field($result, PGSQL_DIAG_MESSAGE_PRIMARY) . " [$rule]");
}
function ask($sql, ...$values) { return query($GLOBALS['counterfoil'], $sql, $values); }  // each statement is committed at once
function keep($sql, ...$values) { return query($GLOBALS['shop'], $sql, $values); }
function proof() { return stream_get_contents(STDIN); }
function show($answer) { echo json_encode($answer), "\n"; }
function deliver($paid) {  // the key refuses a second delivery of a transaction
    keep('insert into deliveries values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing', $paid['bundle_id'], $paid['environment'],
        $paid['transaction_id'], $paid['order_id'], $paid['account_id'], $paid['product_id'], $paid['quantity'], $paid['refunded_share']);
}
function before_finish($account, $orders) {  // finish is passed on only after these inserts are committed
    foreach ($orders as $order) array_map('deliver', ask("select bundle_id, environment, transaction_id, order_id, account_id, product_id,
        quantity, case when refunded_at is not null then refunded_share else 0 end as refunded_share
        from counterfoil.order_status_of($1, $2) where state = 'fulfilled'", $order, $account));
}
function apply($change) {  // a change of the feed
    [$kind, $share] = [$change['kind'], $change['refunded_share'] ?? null];
    $details = json_decode($change['details'] ?? '{}', true);
    $payment = [$change['bundle_id'] ?? null, $change['environment'] ?? null, $change['transaction_id'] ?? null];
    $of_payment = 'where (bundle_id, environment, transaction_id) = ($1, $2, $3)';
    // A period that is called otherwise now: it is this account's, or nobody's.
    $is_owned = in_array($details['after']['name'] ?? '', ['renewal', 'granted']);
    if ($is_owned || in_array($kind, ['order_fulfilled', 'order_partly_refunded', 'refund_reversed', 'subscription_renewed'])) {
        deliver(array_merge($change, ['refunded_share' => $share ?? 0]));
    }
    $shares = ['order_refunded' => 100, 'order_partly_refunded' => $share, 'refund_reversed' => 0, 'payment_refunded' => $share,
        'payment_refund_reversed' => 0];
    if (array_key_exists($kind, $shares)) keep("update deliveries set refunded_share = \$4 $of_payment", ...$payment, ...[$shares[$kind]]);
    elseif ($is_owned || $kind == 'order_transferred')
        keep("update deliveries set account_id = \$4 $of_payment", ...$payment, ...[$change['account_id']]);
    elseif ($kind == 'payment_renamed') keep("delete from deliveries $of_payment", ...$payment);
    elseif ($kind == 'subscription_changed') {  // its whole state: the latest replaces the one before
        keep('insert into subscriptions values ($1, $2, $3, $4) on conflict (bundle_id, environment, original_transaction_id)
            do update set state = excluded.state', $payment[0], $payment[1], $details['original_transaction_id'], $change['details']);
    } elseif (in_array($kind, ['account_moved', 'account_forgotten'])) {  // in all that the shop has
        $names = [$details['from_account'] ?? $change['account_id'], $details['to_account'] ?? $details['pseudonym']];
        keep('update deliveries set account_id = $2 where account_id = $1', ...$names);
        keep("update subscriptions set state = jsonb_set(state, '{account_id}', to_jsonb(\$2::text))
            where state ->> 'account_id' = \$1", ...$names);
    }
}
function notified($body) {  // the address for Apple's notifications: what its request is answered with
    $session = @pg_connect(getenv('COUNTERFOIL_DATABASE'), PGSQL_CONNECT_FORCE_NEW);
    if (!$session) return 503;  // Apple sends it again
    try {
        $answer = query($session, 'select counterfoil.receive_notification($1) as answer', [$body])[0]['answer'];
        query($session, 'notify counterfoil_jobs', []);
        return str_starts_with($answer, 'unreadable') ? 400 : ($answer == 'being_stored' ? 503 : 200);
    } catch (RuntimeException $error) {
        if (str_starts_with($error->getMessage(), '22021')) return 400;  // it is no text
        return str_ends_with($error->getMessage(), '[notification_has_at_most_256_kib]') ? 413 : 503;
    }
}
if (PHP_SAPI == 'cli-server') {  // as under any web server, behind a proxy with TLS
    http_response_code($_SERVER['REQUEST_METHOD'] == 'POST' ? notified(file_get_contents('php://input')) : 405);
    return true;
}

$bundle = getenv('SHOP_BUNDLE') ?: 'com.example.puzzle';
$shop = pg_connect(getenv('SHOP_DATABASE'), PGSQL_CONNECT_FORCE_NEW) ?: exit(1);
$counterfoil = pg_connect(getenv('COUNTERFOIL_DATABASE'), PGSQL_CONNECT_FORCE_NEW) ?: exit(1);
[$command, $words] = [$argv[1] ?? '', array_slice($argv, 2)];
if ($command == 'setup') {  // refunded_share: 0 is nothing, 100 is the whole. Null is a part of unknown size.
    keep('create table deliveries (bundle_id text, environment text, transaction_id text, order_id text, account_id text,
        product_id text, quantity integer, refunded_share numeric, primary key (bundle_id, environment, transaction_id))');
    keep('create table subscriptions (bundle_id text, environment text, original_transaction_id text, state jsonb,
        primary key (bundle_id, environment, original_transaction_id))');
    keep('create table feed as select $1::text as cursor', ask("select counterfoil.changes_from('infinity') as cursor")[0]['cursor']);
} elseif ($command == 'order') {  // ACCOUNT PRODUCT QUANTITY [TOKEN [ORDER]]
    [$account, $product, $quantity, $token, $order] = array_pad($words, 5, '');
    $order = $order !== '' ? $order : bin2hex(random_bytes(16));
    ask('insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, quantity, app_account_token)
        values ($1, $2, $3, $4, $5, $6)', $order, $bundle, $product, $account, $quantity, $token ?: null);
    echo $order, "\n";
} elseif ($command == 'upload') {  // ORDER ACCOUNT [TRANSACTION] <PROOF
    [$order, $account, $transaction] = array_pad($words, 3, null);
    echo ask('insert into counterfoil.jobs (order_id, account_id, proof, transaction_id) values ($1, $2, $3, $4)
        returning id', $order, $account, proof(), $transaction)[0]['id'], "\n";
    ask('notify counterfoil_jobs');
} elseif ($command == 'poll') {  // ORDER ACCOUNT
    foreach (ask('select state, reason, client_action, transaction_id, order_again_product_id, order_again_quantity,
            order_again_transaction_id, bundle_id, environment from counterfoil.order_status_of($1, $2)', ...$words) as $status) {
        if ($status['client_action'] == 'finish') {  // another order of the account may have been granted the payment
            before_finish($words[1], array_column(ask('select order_id from counterfoil.transaction_status_of($1, $2, $3, $4)',
                $status['bundle_id'], $status['environment'], $status['transaction_id'], $words[1]), 'order_id'));
        }
        show($status);
    }
} elseif ($command == 'uploaded') {  // JOB ACCOUNT
    $payments = ask('select * from counterfoil.upload_status($1, $2)', ...$words);
    before_finish($words[1], array_column($payments, 'paid_order_id'));
    show($payments);
} elseif ($command == 'again') {  // ORDER ACCOUNT [TRANSACTION] <PROOF; TRANSACTION is a second payment of the order
    [$order, $account, $transaction] = array_pad($words, 3, null);
    foreach (ask("select s.order_id from counterfoil.order_status_of(\$3, \$4) o
            left join counterfoil.transaction_status_of(o.bundle_id, null, \$1, o.account_id) t on t.client_action = 'order_again'
            cross join lateral (select coalesce(t.transaction_id, o.order_again_transaction_id) as id) p
            cross join lateral counterfoil.submit('again-' || p.id, o.bundle_id, coalesce(t.product_id, o.order_again_product_id),
                o.account_id, \$2, coalesce(t.quantity, o.order_again_quantity), o.app_account_token, transaction_id => p.id) s
            where p.id is not null", $transaction, proof(), $order, $account) as $made) echo $made['order_id'], "\n";
} elseif ($command == 'found') {  // ACCOUNT PRODUCT BUNDLE TRANSACTION <PROOF; the id has the account's digest, or another account could take it first
    echo ask("select order_id from counterfoil.submit('found-' || \$4 || '-' || left(encode(sha256(convert_to(\$1, 'UTF8')), 'hex'), 16),
        \$3, \$2, \$1, \$5, recovery => true)", ...$words, ...[proof()])[0]['order_id'], "\n";
} elseif ($command == 'open') {  // ACCOUNT PRODUCT
    show(array_column(ask('select order_id from counterfoil.open_orders($1, $2)', ...$words), 'order_id'));
} elseif ($command == 'cancel') {  // ORDER
    ask("select counterfoil.cancel_order($1, 'the customer cancelled')", ...$words);
} elseif ($command == 'notified') {  // <BODY
    echo notified(proof()), "\n";
} elseif ($command == 'serve') {  // PORT
    pcntl_exec(PHP_BINARY, ['-S', "127.0.0.1:$words[0]", __FILE__]);
} elseif ($command == 'follow') {  // [once]
    while (true) {
        keep('begin');
        $cursor = keep('select cursor from feed for update')[0]['cursor'];  // one reader at a time
        try {
            $changes = ask('select * from counterfoil.changes_since($1, 100)', $cursor);
        } catch (RuntimeException $error) {
            if (!str_starts_with($error->getMessage(), 'ZCU01')) throw $error;
            // The cursor is unknown: begin anew, with what this reader may not have been told. What was delivered stays.
            $cursor = ask('select counterfoil.changes_from_cursor($1) as cursor', $cursor)[0]['cursor'];
            $changes = [['kind' => '', 'next_cursor' => $cursor]];
        }
        foreach ($changes as $change) {
            apply($change);
            keep('update feed set cursor = $1', $change['next_cursor']);
        }
        keep('commit');  // the deliveries and the cursor together
        if (!$changes && $words) break;
        sleep($changes ? 0 : 1);
    }
} elseif ($command == 'deliveries') {
    $rows = keep('select * from deliveries order by order_id, transaction_id');
    show(array_map(fn($row) => array_merge($row, ['quantity' => (int) $row['quantity'],
        'refunded_share' => $row['refunded_share'] === null ? null : (float) $row['refunded_share']]), $rows));
} elseif ($command == 'subscriptions') {
    show(array_map(fn($row) => array_merge($row, ['state' => json_decode($row['state'])]),
        keep('select bundle_id, environment, state from subscriptions order by original_transaction_id')));
}
