-- Records what is said of payments: that Apple took them back, wholly or in part, or gave them back. What that means to orders
-- follows: settle_payments.sql.
--
-- A refund that says what the last word for an earlier or the same time says isn't written again, unless only it names the period
-- or knows the share: a word that is repeated keeps its first time. So a reversal for a time between the two counts, if it comes
-- last. Who knows no share says the whole; where a signed transaction gave a part for the same date or a later one, that changes
-- nothing: here if the part came first, in revocations_in_force if it comes later.
--
-- A reversal is dated in one of two ways. What a notification tells stands as of the time for which Apple said so, whatever the
-- ledger knows by now: a refund that Apple signed earlier doesn't stand any more, even if it is told later (revocations_in_force).
-- One that comes last answers what the ledger knows: it is dated after that, since the database's clock may not have reached those
-- times, and where nothing is known it isn't written.
--
-- Parameters, an element a word: $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15.
--
-- Idioms: offset 0, row look-up.
insert into counterfoil.revocations (
    bundle_id, environment, transaction_id, original_transaction_id, web_order_line_item_id, purchased_at, kind, occurred_at, as_of,
    share, seats, revocation_type, revocation_reason, knows_no_share
)
select
    e.bundle_id, e.environment, e.transaction_id, p.original_transaction_id, p.web_order_line_item_id, e.purchased_at, e.kind,
    greatest(e.occurred_at, l.occurred_at), greatest(e.as_of, l.occurred_at, l.as_of), e.share, e.seats, e.revocation_type,
    e.revocation_reason, e.knows_no_share
from unnest(
    $1::text[], -- bundle_id
    $2::text[], -- environment
    $3::text[], -- transaction_id
    $4::text[], -- original_transaction_id
    $5::text[], -- kind: revocation or reversal
    $6::timestamptz[], -- occurred_at
    $7::timestamptz[], -- as_of
    $8::boolean[], -- comes_last: only a reversal does
    $9::text[], -- web_order_line_item_id, or null
    $10::timestamptz[], -- purchased_at, or null of a reversal
    $11::integer[], -- share, or null
    $12::integer[], -- seats
    $13::text[], -- revocation_type, or null
    $14::integer[], -- revocation_reason, or null
    $15::boolean[] -- knows_no_share
) as e (
    bundle_id, environment, transaction_id, original_transaction_id, kind, occurred_at, as_of, comes_last, web_order_line_item_id,
    purchased_at, share, seats, revocation_type, revocation_reason, knows_no_share
)
-- The ledger's word for the original, and for what shares its line item with other payments: a proof may not know it. What comes
-- last names the word that it answers.
cross join lateral (
    select
        case
            when e.comes_last then e.original_transaction_id
            else coalesce(max(p.original_transaction_id), e.original_transaction_id)
        end as original_transaction_id,
        case when max(p.additional_reason) is null then e.web_order_line_item_id end as web_order_line_item_id
    from counterfoil.payments p
    where p.transaction_id = e.transaction_id and p.bundle_id = e.bundle_id and p.environment = e.environment
    offset 0
) p
-- The latest that is known, where it is answered.
cross join lateral (
    select max(r.occurred_at) as occurred_at, max(r.as_of) as as_of
    from counterfoil.revocations r
    where e.comes_last and r.original_transaction_id = p.original_transaction_id and r.bundle_id = e.bundle_id
        and r.environment = e.environment and r.transaction_id = e.transaction_id
    offset 0
) l
where case
    when e.kind = 'reversal' then not e.comes_last or l.as_of is not null
    else (
        select true
        from (
            select r.as_of, r.kind, r.occurred_at, r.share, r.seats, r.web_order_line_item_id, r.knows_no_share
            from counterfoil.revocations r
            where r.original_transaction_id = p.original_transaction_id and r.bundle_id = e.bundle_id
                and r.environment = e.environment and r.transaction_id = e.transaction_id and r.as_of <= e.as_of
            order by r.as_of desc, r.kind = 'reversal' desc, r.share desc nulls last, r.id desc
            limit 1
        ) r
        where (r.kind, r.occurred_at, r.share, r.seats) is not distinct from ('revocation', e.occurred_at, e.share, e.seats)
            and (p.web_order_line_item_id is null or r.web_order_line_item_id is not null)
            and (e.knows_no_share or not r.knows_no_share)
            -- Nothing was said meanwhile of another name of the payment.
            and (
                select true from counterfoil.revocations o
                where o.original_transaction_id = p.original_transaction_id and o.bundle_id = e.bundle_id
                    and o.environment = e.environment and o.transaction_id <> e.transaction_id and o.as_of >= r.as_of
                    and o.as_of <= e.as_of
                limit 1
            ) is null
    ) is null
    and (
        select true
        from counterfoil.revocations r
        where e.knows_no_share and r.original_transaction_id = p.original_transaction_id and r.bundle_id = e.bundle_id
            and r.environment = e.environment and r.transaction_id = e.transaction_id and r.kind = 'revocation'
            and r.share < 100000 and r.occurred_at >= e.occurred_at
        limit 1
    ) is null
end
order by e.transaction_id, e.bundle_id, e.environment
on conflict do nothing
