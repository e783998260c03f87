#!/usr/bin/env ruby
# SPDX-License-Identifier: Apache-2.0
# A small shop. Its goods are in a database of its own. Counterfoil's database says what was paid. protocol.md lists the commands.
%w[json pg securerandom webrick].each { |name| require name }

BUNDLE = ENV.fetch('SHOP_BUNDLE', 'com.example.puzzle')
PAYMENT = 'where (bundle_id, environment, transaction_id) = ($1, $2, $3)'.freeze
command, *words = ARGV

SHOP, COUNTERFOIL = %w[SHOP_DATABASE COUNTERFOIL_DATABASE].map do |name|
  PG.connect(ENV.fetch(name)).tap { |session| session.type_map_for_results = PG::BasicTypeMapForResults.new(session) }
end

def ask(sql, *values) = COUNTERFOIL.exec_params(sql, values).to_a # each statement is committed at once
def keep(sql, *values) = SHOP.exec_params(sql, values).to_a
def show(answer) = puts(JSON.generate(answer))
def deliver(paid) # the key refuses a second delivery of a transaction
  columns = %w[bundle_id environment transaction_id order_id account_id product_id quantity refunded_share]
  keep('insert into deliveries values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing', *paid.values_at(*columns))
end
def before_finish(account, orders) # finish is passed on only after these inserts are committed
  orders.each do |order|
    ask("select bundle_id, environment, transaction_id, order_id, account_id, product_id, quantity,
        case when refunded_at is not null then refunded_share else 0 end as refunded_share
        from counterfoil.order_status_of($1, $2) where state = 'fulfilled'", order, account).each { |paid| deliver(paid) }
  end
end

# A change of the feed.
def apply(change)
  kind, share, details = change.values_at('kind', 'refunded_share', 'details')
  payment = change.values_at('bundle_id', 'environment', 'transaction_id')
  # A period that is called otherwise now: it is this account's, or nobody's.
  is_owned = %w[renewal granted].include?(details&.dig('after', 'name'))
  if is_owned || %w[order_fulfilled order_partly_refunded refund_reversed subscription_renewed].include?(kind)
    deliver(change.merge('refunded_share' => share || 0))
  end
  shares = { 'order_refunded' => 100, 'order_partly_refunded' => share, 'refund_reversed' => 0,
             'payment_refunded' => share, 'payment_refund_reversed' => 0 }
  if shares.key?(kind)
    keep("update deliveries set refunded_share = $4 #{PAYMENT}", *payment, shares[kind])
  elsif is_owned || kind == 'order_transferred'
    keep("update deliveries set account_id = $4 #{PAYMENT}", *payment, change['account_id'])
  elsif kind == 'payment_renamed'
    keep("delete from deliveries #{PAYMENT}", *payment)
  elsif kind == 'subscription_changed' # its whole state: the latest replaces the one before
    keep('insert into subscriptions values ($1, $2, $3, $4)
        on conflict (bundle_id, environment, original_transaction_id) do update set state = excluded.state',
         *payment.first(2), details['original_transaction_id'], JSON.generate(details))
  elsif %w[account_moved account_forgotten].include?(kind) # in all that the shop has
    names = [details['from_account'] || change['account_id'], details['to_account'] || details['pseudonym']]
    keep('update deliveries set account_id = $2 where account_id = $1', *names)
    keep("update subscriptions set state = jsonb_set(state, '{account_id}', to_jsonb($2::text)) where state ->> 'account_id' = $1", *names)
  end
end

# The address for Apple's notifications: what its request is answered with.
def notified(body)
  session = PG.connect(ENV.fetch('COUNTERFOIL_DATABASE'))
  answer = session.exec_params('select counterfoil.receive_notification($1)', [body]).getvalue(0, 0)
  session.exec('notify counterfoil_jobs')
  answer.start_with?('unreadable') ? 400 : answer == 'being_stored' ? 503 : 200
rescue ArgumentError, PG::CharacterNotInRepertoire # it is no text
  400
rescue PG::Error => e # Apple sends it again after 503
  e.result&.error_field(PG::PG_DIAG_CONSTRAINT_NAME) == 'notification_has_at_most_256_kib' ? 413 : 503
ensure
  session&.close
end

def serve(port) # behind a proxy with TLS, which bounds bodies
  server = WEBrick::HTTPServer.new(BindAddress: '127.0.0.1', Port: port, AccessLog: [], Logger: WEBrick::Log.new(nil, 0))
  server.mount_proc('/') { |request, answer| answer.status = request.request_method == 'POST' ? notified(request.body || '') : 405 }
  server.start
end

case command
when 'setup'
  # refunded_share: 0 is nothing, 100 is the whole. Null is a part of unknown size.
  keep('create table deliveries (bundle_id text, environment text, transaction_id text, order_id text, account_id text,
      product_id text, quantity integer, refunded_share numeric, primary key (bundle_id, environment, transaction_id))')
  keep('create table subscriptions (bundle_id text, environment text, original_transaction_id text, state jsonb,
      primary key (bundle_id, environment, original_transaction_id))')
  keep('create table feed as select $1::text as cursor', ask("select counterfoil.changes_from('infinity') as cursor")[0]['cursor'])
when 'order' # ACCOUNT PRODUCT QUANTITY [TOKEN [ORDER]]
  account, product, quantity, token, order = words
  order = SecureRandom.uuid if order.to_s.empty?
  ask('insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, quantity, app_account_token)
      values ($1, $2, $3, $4, $5, $6)', order, BUNDLE, product, account, quantity, token.to_s.empty? ? nil : token)
  puts order
when 'upload' # ORDER ACCOUNT [TRANSACTION] <PROOF
  puts ask('insert into counterfoil.jobs (order_id, account_id, proof, transaction_id) values ($1, $2, $3, $4) returning id',
           words[0], words[1], $stdin.read, words[2])[0]['id']
  ask('notify counterfoil_jobs')
when 'poll' # ORDER ACCOUNT
  ask('select state, reason, client_action, transaction_id, order_again_product_id, order_again_quantity, order_again_transaction_id,
      bundle_id, environment from counterfoil.order_status_of($1, $2)', *words).each do |status|
    if status['client_action'] == 'finish' # another order of the account may have been granted the payment
      before_finish(words[1], ask('select order_id from counterfoil.transaction_status_of($1, $2, $3, $4)',
                                  *status.values_at('bundle_id', 'environment', 'transaction_id'), words[1]).map { |row| row['order_id'] })
    end
    show(status)
  end
when 'uploaded' # JOB ACCOUNT
  payments = ask('select * from counterfoil.upload_status($1, $2)', *words)
  before_finish(words[1], payments.map { |payment| payment['paid_order_id'] })
  show(payments)
when 'again' # ORDER ACCOUNT [TRANSACTION] <PROOF; TRANSACTION is a second payment of the order
  ask("select s.order_id from counterfoil.order_status_of($1, $2) o
      left join counterfoil.transaction_status_of(o.bundle_id, null, $4, o.account_id) t on t.client_action = 'order_again'
      cross join lateral (select coalesce(t.transaction_id, o.order_again_transaction_id) as id) p
      cross join lateral counterfoil.submit('again-' || p.id, o.bundle_id, coalesce(t.product_id, o.order_again_product_id),
          o.account_id, $3, coalesce(t.quantity, o.order_again_quantity), o.app_account_token, transaction_id => p.id) s
      where p.id is not null", words[0], words[1], $stdin.read, words[2]).each { |made| puts made['order_id'] }
when 'found' # ACCOUNT PRODUCT BUNDLE TRANSACTION <PROOF; the id has the account's digest, or another account could take it first
  puts ask("select order_id from counterfoil.submit('found-' || $4 || '-' || left(encode(sha256(convert_to($1, 'UTF8')), 'hex'), 16),
      $3, $2, $1, $5, recovery => true)", *words, $stdin.read)[0]['order_id']
when 'open' # ACCOUNT PRODUCT
  show(ask('select order_id from counterfoil.open_orders($1, $2)', *words).map { |row| row['order_id'] })
when 'cancel' # ORDER
  ask("select counterfoil.cancel_order($1, 'the customer cancelled')", *words)
when 'notified' # <BODY
  puts notified($stdin.read)
when 'serve' # PORT
  serve(words[0].to_i)
when 'follow' # [once]
  loop do
    changes = SHOP.transaction do # the deliveries and the cursor together
      cursor = keep('select cursor from feed for update')[0]['cursor'] # one reader at a time
      changes = begin
        ask('select * from counterfoil.changes_since($1, 100)', cursor)
      rescue PG::Error => e
        raise unless e.result&.error_field(PG::PG_DIAG_SQLSTATE) == 'ZCU01'
        # The cursor is unknown: begin anew, with what this reader may not have been told. What was delivered stays.
        [{ 'kind' => '', 'next_cursor' => ask('select counterfoil.changes_from_cursor($1) as cursor', cursor)[0]['cursor'] }]
      end
      changes.each do |change|
        apply(change)
        keep('update feed set cursor = $1', change['next_cursor'])
      end
    end
    break if changes.empty? && words.any?
    sleep(changes.empty? ? 1 : 0)
  end
when 'deliveries'
  show(keep('select *, refunded_share::float8 as refunded_share from deliveries order by order_id, transaction_id'))
when 'subscriptions'
  show(keep('select bundle_id, environment, state from subscriptions order by original_transaction_id'))
end
