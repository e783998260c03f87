-- The App Store Server API: its gates, the budgets of its calls, what apps decide about it, and follow-up jobs.
--
-- A worker from before knows no job without a proof.
-- breaking

set local role counterfoil_owner;

alter table counterfoil.apps
    add column receipt_route text not null default 'verify_receipt'
        constraint receipt_route_is_known check (receipt_route in ('local_then_api', 'verify_receipt', 'local_only')),
    -- A signed transaction that was signed longer ago than this is confirmed by Apple before it is granted; null: never.
    add column confirm_after interval
        constraint confirm_after_is_not_negative check (confirm_after >= interval '0'),
    -- Whether Apple is told that a granted transaction is finished, in a job of its own.
    add column finish_transactions boolean not null default false;

alter table counterfoil.gates
    drop constraint route_is_known,
    add constraint route_is_known check (route in ('local', 'verify_receipt', 'server_api', 'finish_transaction')),
    drop constraint closer_is_known,
    add constraint closer_is_known check (closed_by in ('breaker', 'budget', 'configuration', 'operator'));

-- A follow-up has no proof: it names a granted transaction.
alter table counterfoil.jobs
    add column kind text not null default 'verify'
        constraint job_kind_is_known check (kind in ('verify', 'finish')),
    -- Attempts that brought an answer which may be a passing fault; Apple's outages don't count among them.
    add column uncertain_attempts integer not null default 0,
    alter column proof drop not null,
    add constraint proofs_are_of_jobs_that_verify check ((kind = 'verify') = (proof is not null)),
    add constraint follow_ups_name_a_transaction check (kind = 'verify' or transaction_id is not null);

create table counterfoil.budgets (
    bundle_id text collate "C" not null constraint budget_names_a_known_app references counterfoil.apps (bundle_id),
    endpoint text not null
        constraint budgeted_endpoint_is_known
            check (endpoint in ('get_transaction_info', 'get_transaction_info_of_bare_id', 'finish_transaction')),
    environment text not null
        constraint budget_environment_is_known check (environment in ('production', 'sandbox')),
    calls_per_second double precision not null
        constraint budget_is_positive check (calls_per_second > 0 and calls_per_second <= 10000),
    -- The first time slot that nobody has taken.
    next_call_at timestamptz not null default '-infinity',
    primary key (bundle_id, endpoint, environment)
) with (fillfactor = 50);
comment on table counterfoil.budgets is
    'How many calls a second all workers together make for an app to an endpoint, and which time slots are taken.';

insert into counterfoil.gates (bundle_id, route, environment)
select a.bundle_id, r.route, e.environment
from counterfoil.apps a
cross join (values ('server_api'), ('finish_transaction')) as r (route)
cross join (values ('production'), ('sandbox')) as e (environment);

-- What Apple allows: https://developer.apple.com/documentation/appstoreserverapi/identifying-rate-limits
insert into counterfoil.budgets (bundle_id, endpoint, environment, calls_per_second)
select a.bundle_id, b.endpoint, b.environment, b.calls_per_second
from counterfoil.apps a
cross join (
    values
        ('get_transaction_info', 'production', 50), ('get_transaction_info', 'sandbox', 5),
        ('get_transaction_info_of_bare_id', 'production', 10), ('get_transaction_info_of_bare_id', 'sandbox', 1),
        ('finish_transaction', 'production', 50), ('finish_transaction', 'sandbox', 5)
) as b (endpoint, environment, calls_per_second);

grant insert (order_id, kind, transaction_id, lane) on counterfoil.jobs to counterfoil_worker;
grant update (uncertain_attempts) on counterfoil.jobs to counterfoil_worker;
grant select, update (next_call_at) on counterfoil.budgets to counterfoil_worker;
grant select on counterfoil.budgets to counterfoil_reader;
