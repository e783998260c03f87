#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// A small shop. Its goods are in a database of its own. Counterfoil's database says what was paid. README.md lists the commands.
const { Client } = require('pg');
const { createHash, randomUUID } = require('crypto');
const fs = require('fs');

const bundle = process.env.SHOP_BUNDLE || 'com.example.puzzle';
const shop = new Client(process.env.SHOP_DATABASE);
const counterfoil = new Client(process.env.COUNTERFOIL_DATABASE);
const [command, ...words] = process.argv.slice(2);

// Counterfoil's database: each statement is committed at once.
const ask = async (sql, ...values) => (await counterfoil.query(sql, values)).rows;
const keep = async (sql, ...values) => (await shop.query(sql, values)).rows;
const proof = () => fs.readFileSync(0, 'utf8');
const show = (answer) => console.log(JSON.stringify(answer));

// The key refuses a second delivery of a transaction.
const deliver = (paid) => keep('insert into deliveries values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing',
  paid.bundle_id, paid.environment, paid.transaction_id, paid.order_id, paid.account_id, paid.product_id, paid.quantity,
  paid.refunded_share);

async function beforeFinish(account, orders) { // finish is passed on only after these inserts are committed
  for (const order of orders) {
    for (const paid of await ask(`select bundle_id, environment, transaction_id, order_id, account_id, product_id, quantity,
        case when refunded_at is not null then refunded_share else 0 end as refunded_share
        from counterfoil.order_status_of($1, $2) where state = 'fulfilled'`, order, account)) {
      await deliver(paid);
    }
  }
}

async function apply(change) { // a change of the feed
  const shares = { order_refunded: 100, order_partly_refunded: change.refunded_share, refund_reversed: 0 };
  if (['order_fulfilled', 'order_partly_refunded', 'refund_reversed'].includes(change.kind)) {
    await deliver({ ...change, refunded_share: change.kind === 'order_fulfilled' ? 0 : shares[change.kind] });
  }
  if (change.kind in shares) {
    await keep('update deliveries set refunded_share = $1 where (bundle_id, environment, transaction_id) = ($2, $3, $4)',
      shares[change.kind], change.bundle_id, change.environment, change.transaction_id);
  }
}

async function notified(body) { // the address for Apple's notifications: what its request is answered with
  const refusals = { notification_has_at_most_256_kib: 413 };
  try {
    const [{ answer }] = await ask('select counterfoil.receive_notification($1) as answer', body);
    await ask('notify counterfoil_jobs');
    return answer.startsWith('unreadable') ? 400 : answer === 'being_stored' ? 503 : 200;
  } catch (error) { // Apple sends it again after 503
    return refusals[error.constraint] || (error.code === '22021' ? 400 : 503); // 22021: it is no text
  }
}

const commands = {
  async setup() {
    // refunded_share: 0 is nothing, 100 is the whole. Null is a part of unknown size.
    await keep(`create table deliveries (bundle_id text, environment text, transaction_id text, order_id text, account_id text,
      product_id text, quantity integer, refunded_share numeric, primary key (bundle_id, environment, transaction_id))`);
    await keep('create table feed (cursor text)');
    await keep('insert into feed values ($1)', (await ask("select counterfoil.changes_from('infinity') as cursor"))[0].cursor);
  },
  async order(account, product, quantity, token, order) {
    order = order || randomUUID();
    await ask(`insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, quantity, app_account_token)
      values ($1, $2, $3, $4, $5, $6)`, order, bundle, product, account, quantity, token || null);
    console.log(order);
  },
  async upload(order, account, transaction) {
    console.log((await ask(`insert into counterfoil.jobs (order_id, account_id, proof, transaction_id) values ($1, $2, $3, $4)
      returning id`, order, account, proof(), transaction))[0].id);
    await ask('notify counterfoil_jobs');
  },
  async poll(order, account) {
    for (const status of await ask(`select state, reason, client_action, transaction_id, order_again_product_id,
        order_again_quantity, order_again_transaction_id, bundle_id, environment
        from counterfoil.order_status_of($1, $2)`, order, account)) {
      if (status.client_action === 'finish') { // another order of the account may have been granted the payment
        await beforeFinish(account, (await ask('select order_id from counterfoil.transaction_status_of($1, $2, $3, $4)',
          status.bundle_id, status.environment, status.transaction_id, account)).map((row) => row.order_id));
      }
      show(status);
    }
  },
  async uploaded(job, account) {
    const payments = await ask('select * from counterfoil.upload_status($1, $2)', job, account);
    await beforeFinish(account, payments.map((payment) => payment.paid_order_id));
    show(payments);
  },
  async again(order, account, transaction) { // transaction is a second payment of the order
    for (const made of await ask(`select s.order_id from counterfoil.order_status_of($3, $4) o
            left join counterfoil.transaction_status_of(o.bundle_id, null, $1, o.account_id) t on t.client_action = 'order_again'
            cross join lateral (select coalesce(t.transaction_id, o.order_again_transaction_id) as id) p
            cross join lateral counterfoil.submit(
                'again-' || p.id, o.bundle_id, coalesce(t.product_id, o.order_again_product_id), o.account_id, $2,
                coalesce(t.quantity, o.order_again_quantity), o.app_account_token, transaction_id => p.id) s
            where p.id is not null`, transaction, proof(), order, account)) {
      console.log(made.order_id);
    }
  },
  async found(account, product, bundle, transaction) { // the id has the account's digest, or another account could take it first
    console.log((await ask('select order_id from counterfoil.submit($1, $2, $3, $4, $5, recovery => true)',
      `found-${transaction}-${createHash('sha256').update(account).digest('hex').slice(0, 16)}`, bundle, product, account, proof()))[0].order_id);
  },
  async open(account, product) {
    show((await ask('select order_id from counterfoil.open_orders($1, $2)', account, product)).map((row) => row.order_id));
  },
  async cancel(order) {
    await ask("select counterfoil.cancel_order($1, 'the customer cancelled')", order);
  },
  async notified() {
    console.log(await notified(proof()));
  },
  async follow(once) {
    for (;;) {
      await keep('begin');
      const [{ cursor }] = await keep('select cursor from feed for update'); // one reader at a time
      const changes = await ask('select * from counterfoil.changes_since($1, 100)', cursor).catch(async (error) => {
        if (error.code !== 'ZCU01') throw error;
        // The cursor is unknown: begin anew, with what this reader may not have been told. What was delivered stays.
        return [{ kind: '', next_cursor: (await ask('select counterfoil.changes_from_cursor($1) as cursor', cursor))[0].cursor }];
      });
      for (const change of changes) {
        await apply(change);
        await keep('update feed set cursor = $1', change.next_cursor);
      }
      await keep('commit'); // the deliveries and the cursor together
      if (!changes.length && once) return;
      if (!changes.length) await new Promise((wake) => setTimeout(wake, 1000));
    }
  },
  async deliveries() {
    show(await keep('select *, refunded_share::float8 as refunded_share from deliveries order by order_id, transaction_id'));
  },
};

(async () => {
  await shop.connect();
  await counterfoil.connect();
  await commands[command](...words);
  await shop.end();
  await counterfoil.end();
})().catch((error) => {
  console.error(error.message);
  process.exit(1);
});
