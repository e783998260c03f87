#!/usr/bin/env php
<?php
// SPDX-License-Identifier: Apache-2.0
// A small shop. Its goods are in a database of its own. Counterfoil's database says what was paid. README.md lists the commands.
$bundle = getenv('SHOP_BUNDLE') ?: 'com.example.puzzle';
$shop = pg_connect(getenv('SHOP_DATABASE'), PGSQL_CONNECT_FORCE_NEW) ?: exit(1);
$counterfoil = pg_connect(getenv('COUNTERFOIL_DATABASE'), PGSQL_CONNECT_FORCE_NEW) ?: exit(1);
$command = $argv[1] ?? '';
$words = array_slice($argv, 2);

function query($database, $sql, $values) {  // pg_query_params hides the SQLSTATE of an error
    pg_send_query_params($database, $sql, $values);
    $result = pg_get_result($database);
    while (pg_get_result($database)) {}
    $state = pg_result_error_field($result, PGSQL_DIAG_SQLSTATE);
    if ($state) {
        $rule = pg_result_error_field($result, PGSQL_DIAG_CONSTRAINT_NAME);
        throw new RuntimeException($state . ' ' . pg_result_error_field($result, PGSQL_DIAG_MESSAGE_PRIMARY) . " [$rule]");
    }
    return pg_fetch_all($result);
}

function ask($sql, ...$values) {  // Counterfoil's database: each statement is committed at once
    return query($GLOBALS['counterfoil'], $sql, $values);
}

function keep($sql, ...$values) {  // the shop's database
    return query($GLOBALS['shop'], $sql, $values);
}

function proof() {
    return stream_get_contents(STDIN);
}

function deliver($paid) {  // the key refuses a second delivery of a transaction
    keep('insert into deliveries values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing', $paid['bundle_id'],
        $paid['environment'], $paid['transaction_id'], $paid['order_id'], $paid['account_id'], $paid['product_id'],
        $paid['quantity'], $paid['refunded_share']);
}

function before_finish($account, $orders) {  // finish is passed on only after these inserts are committed
    foreach ($orders as $order) {
        array_map('deliver', ask("select bundle_id, environment, transaction_id, order_id, account_id, product_id, quantity,
            case when refunded_at is not null then refunded_share else 0 end as refunded_share
            from counterfoil.order_status_of($1, $2) where state = 'fulfilled'", $order, $account));
    }
}

function apply($change) {  // a change of the feed
    $shares = ['order_refunded' => 100, 'order_partly_refunded' => $change['refunded_share'] ?? null, 'refund_reversed' => 0];
    if (in_array($change['kind'], ['order_fulfilled', 'order_partly_refunded', 'refund_reversed'])) {
        deliver(array_merge($change, ['refunded_share' => $change['kind'] == 'order_fulfilled' ? 0 : $shares[$change['kind']]]));
    }
    if (array_key_exists($change['kind'], $shares)) {
        keep('update deliveries set refunded_share = $1 where (bundle_id, environment, transaction_id) = ($2, $3, $4)',
            $shares[$change['kind']], $change['bundle_id'], $change['environment'], $change['transaction_id']);
    }
}

function notified($body) {  // the address for Apple's notifications: what its request is answered with
    try {
        $answer = ask('select counterfoil.receive_notification($1) as answer', $body)[0]['answer'];
        ask('notify counterfoil_jobs');
        return str_starts_with($answer, 'unreadable') ? 400 : ($answer == 'being_stored' ? 503 : 200);
    } catch (RuntimeException $error) {  // Apple sends it again after 503
        if (str_starts_with($error->getMessage(), '22021')) return 400;  // it is no text
        return str_ends_with($error->getMessage(), '[notification_has_at_most_256_kib]') ? 413 : 503;
    }
}

function show($answer) {
    echo json_encode($answer), "\n";
}

if ($command == 'setup') {
    // refunded_share: 0 is nothing, 100 is the whole. Null is a part of unknown size.
    keep('create table deliveries (bundle_id text, environment text, transaction_id text, order_id text, account_id text,
        product_id text, quantity integer, refunded_share numeric, primary key (bundle_id, environment, transaction_id))');
    keep('create table feed (cursor text)');
    keep('insert into feed values ($1)', ask("select counterfoil.changes_from('infinity') as cursor")[0]['cursor']);
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
            cross join lateral counterfoil.submit(
                'again-' || p.id, o.bundle_id, coalesce(t.product_id, o.order_again_product_id), o.account_id, \$2,
                coalesce(t.quantity, o.order_again_quantity), o.app_account_token, transaction_id => p.id) s
            where p.id is not null", $transaction, proof(), $order, $account) as $made) {
        echo $made['order_id'], "\n";
    }
} elseif ($command == 'found') {  // ACCOUNT PRODUCT BUNDLE TRANSACTION <PROOF; the id has the account's digest, or another account could take it first
    [$account, $product, $bundle, $transaction] = $words;
    echo ask('select order_id from counterfoil.submit($1, $2, $3, $4, $5, recovery => true)',
        "found-$transaction-" . substr(hash('sha256', $account), 0, 16), $bundle, $product, $account, proof())[0]['order_id'], "\n";
} elseif ($command == 'open') {  // ACCOUNT PRODUCT
    show(array_column(ask('select order_id from counterfoil.open_orders($1, $2)', ...$words), 'order_id'));
} elseif ($command == 'cancel') {  // ORDER
    ask("select counterfoil.cancel_order($1, 'the customer cancelled')", ...$words);
} elseif ($command == 'notified') {  // <BODY
    echo notified(proof()), "\n";
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
        if (!$changes) sleep(1);
    }
} elseif ($command == 'deliveries') {
    $rows = keep('select * from deliveries order by order_id, transaction_id');
    show(array_map(fn($row) => array_merge($row, ['quantity' => (int) $row['quantity'],
        'refunded_share' => $row['refunded_share'] === null ? null : (float) $row['refunded_share']]), $rows));
}
