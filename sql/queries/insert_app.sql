-- Adds an app, or changes its policies. Returns whether it was new.
--
-- $1 text  bundle id         $3 text  sandbox policy         $5 text  absent token policy
-- $2 int8  Apple's app id    $4 timestamptz  sandbox open until, or null
-- $6 timestamptz  ledger starts at, or null
insert into counterfoil.apps (
    bundle_id, apple_app_id, sandbox_policy, sandbox_open_until, absent_token_policy, ledger_starts_at
)
values ($1::text, $2::bigint, $3::text, $4::timestamptz, $5::text, $6::timestamptz)
on conflict (bundle_id) do update
set apple_app_id = coalesce(excluded.apple_app_id, apps.apple_app_id), sandbox_policy = excluded.sandbox_policy,
    sandbox_open_until = excluded.sandbox_open_until, absent_token_policy = excluded.absent_token_policy,
    ledger_starts_at = coalesce(excluded.ledger_starts_at, apps.ledger_starts_at)
returning xmax = 0 as is_new
