-- An app with its policies.
--
-- $1 text  bundle id    $2 text  sandbox policy    $3 int4  age of its ledger in days, or null
insert into counterfoil.apps (bundle_id, sandbox_policy, ledger_starts_at)
values ($1::text, $2::text, now() - make_interval(days => $3::integer))
