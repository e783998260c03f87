-- What became of notifications. One that Apple didn't sign goes, and is counted; so goes another text of one that had its effect.
-- One that is judged again keeps that it was recorded; what was stored or odd may be recorded now.
--
-- Parameters, an element a notification: $1, $2, $3, $4, $5, $6.
--
-- Idioms: array of one, offset 0. The look-up is by uuid, never by app.
with entry as materialized (
    select
        e.*, n.notification_uuid, n.bundle_id, n.environment,
        (
            select true
            from (
                select m.bundle_id, m.environment, m.outcome from counterfoil.notifications m
                where m.notification_uuid = n.notification_uuid
                offset 0
            ) m
            where m.bundle_id = n.bundle_id and m.environment = n.environment and m.outcome is not null
            limit 1
        ) is not null as is_known
    from unnest(
        $1::bigint[], -- notification_id
        $2::text[], -- outcome, or null: refused
        $3::text[], -- reason of the refusal, or null
        $4::text[], -- message, or null
        $5::text[], -- transaction_id, or null
        $6::text[] -- original_transaction_id, or null
    ) as e (notification_id, outcome, reason, message, transaction_id, original_transaction_id)
    join counterfoil.notifications n on n.id = any (array[e.notification_id])
), gone as (
    delete from counterfoil.notifications n
    using entry e
    where n.id = any (array[e.notification_id]) and n.outcome is null
        and (e.outcome is null or e.is_known)
), counted as (
    insert into counterfoil.refused_notifications as r (bundle_id, reason, refused)
    select e.bundle_id, e.reason, count(*) from entry e where e.outcome is null
    group by e.bundle_id, e.reason order by e.bundle_id, e.reason
    on conflict (bundle_id, reason) do update set refused = r.refused + excluded.refused, last_at = now()
)
update counterfoil.notifications n
set outcome = case n.outcome when 'recorded' then n.outcome else e.outcome end, processed_at = now(), message = e.message,
    transaction_id = e.transaction_id, original_transaction_id = e.original_transaction_id
from entry e
where n.id = any (array[e.notification_id]) and e.outcome is not null
    and (n.outcome is not null or not e.is_known)
