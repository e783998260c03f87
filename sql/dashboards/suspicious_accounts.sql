-- Accounts whose proofs of the last seven days were duplicates, replays or forgeries, the busiest thousand.

create or replace view counterfoil.suspicious_accounts as
select
    s.bundle_id, s.account_id,
    coalesce(sum(s.attempts::integer) filter (where s.reason in ('already_granted', 'already_owned')), 0) as duplicates,
    coalesce(sum(s.attempts::integer) filter (where s.reason in ('granted_to_another_account', 'owner_mismatch')), 0)
        as replays,
    coalesce(
        sum(s.attempts::integer) filter (
            where s.reason in (
                'bad_certificate', 'untrusted_root', 'bad_signature', 'not_authentic', 'unsupported_environment'
            )
        ), 0
    ) as forgeries,
    coalesce(sum(s.attempts::integer) filter (where s.reason = 'sandbox_not_allowed'), 0) as sandbox,
    min(s.minute) as first_minute, max(s.minute) as last_minute
from counterfoil.suspicion_minutes s
where s.minute >= now() - interval '7 days'
    and s.reason in (
        'already_granted', 'already_owned', 'granted_to_another_account', 'owner_mismatch', 'bad_certificate',
        'untrusted_root', 'bad_signature', 'not_authentic', 'unsupported_environment', 'sandbox_not_allowed'
    )
group by s.bundle_id, s.account_id
order by sum(s.attempts::integer) desc, s.bundle_id, s.account_id
limit 1000;
comment on view counterfoil.suspicious_accounts is
    'Accounts that sent duplicates, others'' payments, forgeries or sandbox purchases that don''t count, in the last 7 days.';

alter view counterfoil.suspicious_accounts owner to counterfoil_owner;
grant select on counterfoil.suspicious_accounts to counterfoil_worker, counterfoil_support, counterfoil_reader;
