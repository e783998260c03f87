-- Private: what Apple last said of each transaction that it took back, wholly or in part, where it didn't give it back since. Where
-- the time of the purchase isn't recorded, it counts as made at once before it was taken back.
--
-- Shares are never added: Apple's is that of all refunds so far, and a smaller one that is said later counts. One that isn't known
-- counts only where nothing else was said. The whole, by the word of somebody who knows no share, counts only where no part was
-- signed for the same date or a later one, whichever came first.

create or replace view counterfoil.revocations_in_force as
select
    r.transaction_id, r.bundle_id, r.environment, r.original_transaction_id, r.web_order_line_item_id, r.occurred_at, r.as_of,
    r.recorded_at, r.share, r.seats, r.revocation_type, r.revocation_reason, coalesce(r.share = 100000, false) as is_whole,
    coalesce(r.purchased_at, r.occurred_at) as purchased_at
from counterfoil.revocations r
where r.kind = 'revocation'
    -- Idiom: row look-up. A reversal is the later word of its time. A share that is known hides one that isn't. What was reversed
    -- or outweighed itself hides nothing.
    and (
        select true from counterfoil.revocations v
        where v.original_transaction_id = r.original_transaction_id and v.bundle_id = r.bundle_id and v.environment = r.environment
            and v.transaction_id = r.transaction_id
            and case
                when v.kind = 'reversal' then v.as_of >= r.as_of
                when r.knows_no_share and v.share < 100000 and v.occurred_at >= r.occurred_at then true
                when v.share is null then r.share is null and (v.as_of, v.id) > (r.as_of, r.id)
                when r.share is not null and not v.knows_no_share then (v.as_of, v.share, v.id) > (r.as_of, r.share, r.id)
                else (r.share is null or (v.as_of, v.share, v.id) > (r.as_of, r.share, r.id))
                    and (
                        select true from counterfoil.revocations w
                        where w.original_transaction_id = v.original_transaction_id and w.bundle_id = v.bundle_id
                            and w.environment = v.environment and w.transaction_id = v.transaction_id
                            and (
                                w.kind = 'reversal' and w.as_of >= v.as_of
                                or v.knows_no_share and w.share < 100000 and w.occurred_at >= v.occurred_at
                            )
                        limit 1
                    ) is null
            end
        limit 1
    ) is null;
comment on view counterfoil.revocations_in_force is 'Private: transactions that Apple took back, and didn''t give back since.';

alter view counterfoil.revocations_in_force owner to counterfoil_owner;
grant select on counterfoil.revocations_in_force to counterfoil_worker, counterfoil_support;
