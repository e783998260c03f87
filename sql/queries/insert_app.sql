-- Adds an app, or changes its policies: what is null stays as it is. Returns whether it was new.
--
-- $1 text  bundle id                        $6 timestamptz  ledger starts at
-- $2 int8  Apple's app id                   $7 text    receipt route
-- $3 text  sandbox policy                   $8 float8  seconds after which a signature is confirmed; infinity: never
-- $4 timestamptz  sandbox open until        $9 bool    whether transactions are finished
-- $5 text  absent token policy
insert into counterfoil.apps (
    bundle_id, apple_app_id, sandbox_policy, sandbox_open_until, absent_token_policy, ledger_starts_at, receipt_route,
    confirm_after, finish_transactions
)
values (
    $1::text, $2::bigint, coalesce($3::text, 'listed'), $4::timestamptz, coalesce($5::text, 'accept'), $6::timestamptz,
    coalesce($7::text, 'verify_receipt'),
    case when $8::double precision < 'infinity' then make_interval(secs => $8::double precision) end,
    coalesce($9::boolean, false)
)
on conflict (bundle_id) do update
set apple_app_id = coalesce($2::bigint, apps.apple_app_id),
    sandbox_policy = coalesce($3::text, apps.sandbox_policy),
    sandbox_open_until = coalesce($4::timestamptz, apps.sandbox_open_until),
    absent_token_policy = coalesce($5::text, apps.absent_token_policy),
    ledger_starts_at = coalesce($6::timestamptz, apps.ledger_starts_at),
    receipt_route = coalesce($7::text, apps.receipt_route),
    confirm_after = case
        when $8::double precision is null then apps.confirm_after
        when $8::double precision < 'infinity' then make_interval(secs => $8::double precision)
    end,
    finish_transactions = coalesce($9::boolean, apps.finish_transactions)
returning xmax = 0 as is_new
