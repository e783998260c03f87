-- Private: what Apple last said of each transaction that it took back, wholly or in part, where it didn't give it back since. Where
-- the time of the purchase isn't recorded, it counts as made at once before it was taken back.
--
-- Shares are never added: Apple's is that of all refunds so far, and a smaller one that is said later counts. One that isn't known
-- counts only where nothing else was said.

create or replace view counterfoil.standing_revocations as
select
    r.transaction_id, r.bundle_id, r.environment, r.original_transaction_id, r.web_order_line_item_id, r.occurred_at, r.as_of,
    r.recorded_at, r.share, r.seats, r.revocation_type, r.revocation_reason, coalesce(r.share = 100000, false) as is_whole,
    coalesce(r.purchased_at, r.occurred_at) as purchased_at
from counterfoil.revocations r
where r.kind = 'revocation'
    -- Idiom: row look-up. Of two for the same time the reversal is the later word, and the larger share.
    and (
        select true from counterfoil.revocations v
        where v.original_transaction_id = r.original_transaction_id and v.bundle_id = r.bundle_id and v.environment = r.environment
            and v.transaction_id = r.transaction_id
            and (v.share is not null or v.kind = 'reversal', v.as_of, v.kind = 'reversal', coalesce(v.share, 0), v.id)
                > (r.share is not null, r.as_of, false, coalesce(r.share, 0), r.id)
        limit 1
    ) is null;
comment on view counterfoil.standing_revocations is 'Private: transactions that Apple took back, and didn''t give back since.';

alter view counterfoil.standing_revocations owner to counterfoil_owner;
grant select on counterfoil.standing_revocations to counterfoil_worker;
