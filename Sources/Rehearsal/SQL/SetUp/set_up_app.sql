-- An app with its policies.
--
-- $1 text  bundle id         $3 int4  age of its ledger in days, or null    $5 bool  whether Apple confirms all
-- $2 text  sandbox policy    $4 text  receipt route                         $6 bool  whether Apple is told of grants
insert into counterfoil.apps (
    bundle_id, sandbox_policy, ledger_starts_at, receipt_route, confirm_after, finish_transactions
)
values (
    $1::text, $2::text, now() - make_interval(days => $3::integer), $4::text,
    case when $5::boolean then interval '0' end, $6::boolean
)
