-- Private: revocations that no reversal followed. Where the time of the purchase isn't recorded, it counts as made at once before
-- it was taken back.

create or replace view counterfoil.standing_revocations as
select r.bundle_id, r.environment, r.transaction_id, r.original_transaction_id, r.occurred_at, r.web_order_line_item_id,
    coalesce(r.purchased_at, r.occurred_at) as purchased_at
from counterfoil.revocations r
where r.kind = 'revocation'
    and not exists (
        select from counterfoil.revocations v
        where v.bundle_id = r.bundle_id and v.environment = r.environment and v.transaction_id = r.transaction_id
            and v.kind = 'reversal' and v.occurred_at >= r.occurred_at
    );
comment on view counterfoil.standing_revocations is 'Private: revocations that no reversal followed.';

alter view counterfoil.standing_revocations owner to counterfoil_owner;
grant select on counterfoil.standing_revocations to counterfoil_worker;
