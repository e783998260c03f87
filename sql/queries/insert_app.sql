-- Adds an app, or changes its policies: what is null stays as it is. Returns whether it was new.
--
-- $1 text  bundle id         $3 text  sandbox policy                   $5 text  absent token policy
-- $2 int8  Apple's app id    $4 timestamptz  sandbox open until        $6 timestamptz  ledger starts at
insert into counterfoil.apps (
    bundle_id, apple_app_id, sandbox_policy, sandbox_open_until, absent_token_policy, ledger_starts_at
)
values (
    $1::text, $2::bigint, coalesce($3::text, 'listed'), $4::timestamptz, coalesce($5::text, 'accept'), $6::timestamptz
)
on conflict (bundle_id) do update
set apple_app_id = coalesce($2::bigint, apps.apple_app_id),
    sandbox_policy = coalesce($3::text, apps.sandbox_policy),
    sandbox_open_until = coalesce($4::timestamptz, apps.sandbox_open_until),
    absent_token_policy = coalesce($5::text, apps.absent_token_policy),
    ledger_starts_at = coalesce($6::timestamptz, apps.ledger_starts_at)
returning xmax = 0 as is_new
