-- The waits of a payer that are meant, each with its bound: the one place that says so. promise looks for payers who wait longer,
-- and the rehearsal judges by it what its players were told. A wait that no row explains is a fault.
--
-- - reasons: of the job that waits;
-- - next_within: the longest time to its next attempt, where it waits for a moment (RetryPolicy);
-- - bound: the longest time since what "since" names.

create or replace view counterfoil.meant_waits as
select w.place, w.wait, w.reasons::text[] as reasons, w.next_within::interval as next_within, w.bound::interval as bound, w.since
from (
    values
        (1, 'claim', '{}', null, '1 minute', 'its time, at an open gate'),
        (2, 'outage', '{}', null, '90 seconds', 'the opening of its gate, or Apple''s last failure'),
        (3, 'lease', '{}', null, '15 seconds', 'the end of its lease'),
        (4, 'held', '{}', '5 seconds', '10 minutes', 'its upload'),
        (5, 'rescue', '{crashed_repeatedly}', '1 hour', '1 day', 'its upload'),
        (6, 'probe', '{}', null, '90 seconds', 'the time of its closed gate''s next probe'),
        (7, 'retry', '{app_store_unavailable}', '1 hour', '8 days', 'its upload'),
        (8, 'rate_limited', '{rate_limited}', '72 minutes', '1 day', 'its upload'),
        (9, 'uncertain', '{unknown_answer,malformed_proof}', '1 hour', '1 day', 'its upload'),
        (
            10, 'missing', '{purchase_not_in_receipt,transaction_not_found}', '6.6 hours', '36 hours',
            'Apple''s first answer without it'
        ),
        (11, 'credential_refused', '{credential_refused}', '6.6 hours', '2 days', 'its upload'),
        (12, 'configuration', '{configuration}', '2 minutes', '1 hour', 'its upload, or the closing of its gate'),
        (13, 'closed_by_operator', '{}', null, '1 day', 'the closing of its gate'),
        (14, 'settlement_refused', '{settlement_refused}', '1 minute', '15 minutes', 'its upload')
) as w (place, wait, reasons, next_within, bound, since);
comment on view counterfoil.meant_waits is 'The waits of a payer that are meant, each with its bound.';

alter view counterfoil.meant_waits owner to counterfoil_owner;
grant select on counterfoil.meant_waits to counterfoil_worker, counterfoil_support, counterfoil_reader;
