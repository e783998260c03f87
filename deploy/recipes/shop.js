#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// A small shop. Its goods are in a database of its own. Counterfoil's database says what was paid. protocol.md lists the commands.
const { Client } = require('pg');
const [{ randomUUID }, fs, http] = ['crypto', 'fs', 'http'].map(require);
const bundle = process.env.SHOP_BUNDLE || 'com.example.puzzle';
const shop = new Client(process.env.SHOP_DATABASE);
const counterfoil = new Client(process.env.COUNTERFOIL_DATABASE);
const [command, ...words] = process.argv.slice(2);

const ask = async (sql, ...values) => (await counterfoil.query(sql, values)).rows; // each statement is committed at once
const keep = async (sql, ...values) => (await shop.query(sql, values)).rows;
const proof = () => fs.readFileSync(0, 'utf8');
const show = (answer) => console.log(JSON.stringify(answer));
// The key refuses a second delivery of a transaction.
const deliver = (paid) => keep('insert into deliveries values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing', paid.bundle_id,
  paid.environment, paid.transaction_id, paid.order_id, paid.account_id, paid.product_id, paid.quantity, paid.refunded_share);

async function beforeFinish(account, orders) { // finish is passed on only after these inserts are committed
  for (const paid of await ask(`select s.bundle_id, s.environment, s.transaction_id, s.order_id, s.account_id, s.product_id, s.quantity,
      case when s.refunded_at is not null then s.refunded_share else 0 end as refunded_share from unnest($1::text[]) as o (id)
      cross join lateral counterfoil.order_status_of(o.id, $2) s where s.state = 'fulfilled'`, orders, account)) await deliver(paid);
}

async function apply(change) { // a change of the feed
  const { kind, details, refunded_share: share } = change;
  const payment = [change.bundle_id, change.environment, change.transaction_id];
  const ofPayment = 'where (bundle_id, environment, transaction_id) = ($1, $2, $3)';
  // A period that is called otherwise now: it is this account's, or nobody's.
  const isOwned = ['renewal', 'granted'].includes(details?.after?.name);
  if (isOwned || ['order_fulfilled', 'order_partly_refunded', 'refund_reversed', 'subscription_renewed'].includes(kind)) {
    await deliver({ ...change, refunded_share: share || 0 });
  }
  const shares = { order_refunded: 100, order_partly_refunded: share, refund_reversed: 0, payment_refunded: share, payment_refund_reversed: 0 };
  if (kind in shares) await keep(`update deliveries set refunded_share = $4 ${ofPayment}`, ...payment, shares[kind]);
  else if (isOwned || kind === 'order_transferred')
    await keep(`update deliveries set account_id = $4 ${ofPayment}`, ...payment, change.account_id);
  else if (kind === 'payment_renamed') await keep(`delete from deliveries ${ofPayment}`, ...payment);
  else if (kind === 'subscription_changed') { // its whole state: the latest replaces the one before
    await keep(`insert into subscriptions values ($1, $2, $3, $4) on conflict (bundle_id, environment, original_transaction_id)
      do update set state = excluded.state`, payment[0], payment[1], details.original_transaction_id, details);
  } else if (['account_moved', 'account_forgotten'].includes(kind)) { // in all that the shop has
    const names = [details.from_account ?? change.account_id, details.to_account ?? details.pseudonym];
    await keep('update deliveries set account_id = $2 where account_id = $1', ...names);
    await keep(`update subscriptions set state = jsonb_set(state, '{account_id}', to_jsonb($2::text))
      where state ->> 'account_id' = $1`, ...names);
  }
}

async function notified(body) { // the address for Apple's notifications: what its request is answered with
  const session = new Client(process.env.COUNTERFOIL_DATABASE);
  try {
    await session.connect();
    const { rows: [{ answer }] } = await session.query('select counterfoil.receive_notification($1) as answer', [body]);
    await session.query('notify counterfoil_jobs');
    return answer.startsWith('unreadable') ? 400 : answer === 'being_stored' ? 503 : 200;
  } catch (error) { // 22021: it is no text. Apple sends it again after 503
    return error.constraint === 'notification_has_at_most_256_kib' ? 413 : error.code === '22021' ? 400 : 503;
  } finally {
    await session.end().catch(() => {});
  }
}

const commands = {
  async setup() { // refunded_share: 0 is nothing, 100 is the whole. Null is a part of unknown size.
    await keep(`create table deliveries (bundle_id text, environment text, transaction_id text, order_id text, account_id text,
      product_id text, quantity integer, refunded_share numeric, primary key (bundle_id, environment, transaction_id))`);
    await keep(`create table subscriptions (bundle_id text, environment text, original_transaction_id text, state jsonb,
      primary key (bundle_id, environment, original_transaction_id))`);
    await keep('create table feed as select $1::text as cursor', (await ask("select counterfoil.changes_from('infinity') as cursor"))[0].cursor);
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
      const { bundle_id: app, environment, transaction_id: paid } = status;
      if (status.client_action === 'finish') await beforeFinish(account, (await ask( // another order may have been granted the payment
        'select order_id from counterfoil.transaction_status_of($1, $2, $3, $4)', app, environment, paid, account)).map((row) => row.order_id));
      show(status);
    }
  },
  async uploaded(job, account) {
    const payments = await ask('select * from counterfoil.upload_status($1, $2)', job, account);
    await beforeFinish(account, payments.map((payment) => payment.paid_order_id));
    show(payments);
  },
  async again(order, account, transaction) { // transaction is a second payment of the order
    const made = await ask(`select s.order_id from counterfoil.order_status_of($3, $4) o
        left join counterfoil.transaction_status_of(o.bundle_id, null, $1, o.account_id) t on t.client_action = 'order_again'
        cross join lateral (select coalesce(t.transaction_id, o.order_again_transaction_id) as id) p
        cross join lateral counterfoil.submit('again-' || p.id, o.bundle_id, coalesce(t.product_id, o.order_again_product_id),
            o.account_id, $2, coalesce(t.quantity, o.order_again_quantity), o.app_account_token, transaction_id => p.id) s
        where p.id is not null`, transaction, proof(), order, account);
    made.forEach((one) => console.log(one.order_id));
  },
  async found(...payment) { // account, product, bundle, transaction; with the account's digest, or another could take the id first
    console.log((await ask(`select order_id from counterfoil.submit('found-' || $4 || '-' || left(encode(sha256(convert_to($1, 'UTF8')),
      'hex'), 16), $3, $2, $1, $5, recovery => true)`, ...payment, proof()))[0].order_id);
  },
  open: async (account, product) => show(
    (await ask('select order_id from counterfoil.open_orders($1, $2)', account, product)).map((row) => row.order_id)),
  cancel: (order) => ask("select counterfoil.cancel_order($1, 'the customer cancelled')", order),
  notified: async () => console.log(await notified(proof())),
  async serve(port) { // behind a proxy with TLS, which bounds bodies
    await new Promise(() => http.createServer(async (request, answer) => {
      const parts = [];
      for await (const part of request) parts.push(part);
      answer.writeHead(request.method === 'POST' ? await notified(Buffer.concat(parts).toString()) : 405).end();
    }).listen(port, '127.0.0.1'));
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
      await new Promise((wake) => setTimeout(wake, changes.length ? 0 : 1000));
    }
  },
  deliveries: async () => show(
    await keep('select *, refunded_share::float8 as refunded_share from deliveries order by order_id, transaction_id')),
  subscriptions: async () => show(
    await keep('select bundle_id, environment, state from subscriptions order by original_transaction_id')),
};
(async () => {
  await Promise.all([shop.connect(), counterfoil.connect()]);
  await commands[command](...words);
  await Promise.all([shop.end(), counterfoil.end()]);
})().catch((error) => process.exit(console.error(error.message) || 1));
