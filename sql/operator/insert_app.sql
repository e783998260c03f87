-- Adds an app, or changes its policies: what is null stays as it is. Returns whether it was new, and
-- the route of its receipts.
--
-- $1 text  bundle id                        $5 timestamptz  ledger starts at
-- $2 text  sandbox policy                   $6 text    receipt route
-- $3 timestamptz  sandbox open until        $7 float8  seconds after which a signature is confirmed; infinity: never
-- $4 text  absent token policy              $8 bool    whether transactions are finished
-- $9  bool  whether customers consented to answers about refunds
-- $10 bool  whether samples are offered
-- $11 text  the preferred refund; none: no word of it
insert into counterfoil.apps (
    bundle_id, sandbox_policy, sandbox_open_until, absent_token_policy, ledger_starts_at, receipt_route, confirm_after,
    finish_transactions, consumption_consented, sample_content_provided, refund_preference
)
values (
    $1::text, coalesce($2::text, 'listed'), $3::timestamptz, coalesce($4::text, 'accept'), $5::timestamptz,
    coalesce($6::text, 'local_then_api'),
    case when $7::double precision < 'infinity' then make_interval(secs => $7::double precision) end,
    coalesce($8::boolean, false), coalesce($9::boolean, false), coalesce($10::boolean, false), nullif($11::text, 'none')
)
on conflict (bundle_id) do update
set sandbox_policy = coalesce($2::text, apps.sandbox_policy),
    sandbox_open_until = coalesce($3::timestamptz, apps.sandbox_open_until),
    absent_token_policy = coalesce($4::text, apps.absent_token_policy),
    ledger_starts_at = coalesce($5::timestamptz, apps.ledger_starts_at),
    receipt_route = coalesce($6::text, apps.receipt_route),
    confirm_after = case
        when $7::double precision is null then apps.confirm_after
        when $7::double precision < 'infinity' then make_interval(secs => $7::double precision)
    end,
    finish_transactions = coalesce($8::boolean, apps.finish_transactions),
    consumption_consented = coalesce($9::boolean, apps.consumption_consented),
    sample_content_provided = coalesce($10::boolean, apps.sample_content_provided),
    refund_preference = case when $11::text is null then apps.refund_preference else nullif($11::text, 'none') end
returning xmax = 0 as is_new, receipt_route
