-- Decides about Apple's question about a refund: an answer that a worker sends, or none. Returns whether it is new, what
-- became of it, and until when Apple takes an answer. The same decision again is harmless. Another one is refused, unless Apple
-- refused the answer.
--
-- The question's row is locked: of two decisions at once the second finds the first.
create or replace function counterfoil.decide_consumption_request(
    of_question uuid, of_app text, declines boolean, who text, why text, consented boolean, delivered text, share numeric,
    preference text, sample boolean
) returns table (is_new boolean, decision text, deadline timestamptz)
language plpgsql security definer rows 1 set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
#variable_conflict use_column
declare
    wanted record;
    broken text;
    part integer;
    made counterfoil.consumption_answers;
begin
    perform from counterfoil.notifications n
    join counterfoil.consumption_requests c on c.notification_id = n.id
    where n.notification_uuid = of_question and (of_app is null or c.bundle_id = of_app)
    for no key update of c;
    if not found then
        perform counterfoil.refuse('answered_questions_are_known');
    end if;
    -- A statement of its own, after the lock: it sees what was decided meanwhile.
    select w.* into strict wanted
    from counterfoil.consumption_answer_of(of_question, of_app, consented, delivered, share, preference, sample) w;
    broken := case when declines then wanted.question_rule else wanted.broken_rule end;
    -- What is no part at all is refused by its rule.
    part := case when wanted.consumed_share is not null then round(least(greatest(wanted.consumed_share, -1), 101) * 1000) end;
    if broken = 'questions_are_answered_once' then
        select a.* into strict made from counterfoil.consumption_answers a
        where a.notification_id = wanted.notification_id and a.state <> 'refused';
        if declines and made.state = 'declined'
            or not declines and made.state <> 'declined' and wanted.customer_consented
                and (made.delivery_status, made.consumed_share, made.refund_preference, made.sample_content_provided)
                    is not distinct from
                    (wanted.delivery_status, part, wanted.refund_preference, wanted.sample_content_provided)
        then
            return query select false, made.state, wanted.deadline;
            return;
        end if;
    end if;
    if broken is not null then
        perform counterfoil.refuse(broken);
    end if;

    insert into counterfoil.consumption_answers as a (
        notification_id, state, delivery_status, consumed_share, refund_preference, sample_content_provided, who, why, ended_at
    )
    values (
        wanted.notification_id, case when declines then 'declined' else 'waiting' end,
        case when not declines then wanted.delivery_status end,
        case when not declines then part end,
        case when not declines then wanted.refund_preference end,
        case when not declines then wanted.sample_content_provided end,
        decide_consumption_request.who, decide_consumption_request.why, case when declines then now() end
    )
    returning a.* into made;
    return query select true, made.state, wanted.deadline;
end
$$;
comment on function counterfoil.decide_consumption_request(
    uuid, text, boolean, text, text, boolean, text, numeric, text, boolean
) is 'Private: decides about Apple''s question about a refund, for a reason.';
grant execute on function counterfoil.decide_consumption_request(
    uuid, text, boolean, text, text, boolean, text, numeric, text, boolean
) to counterfoil_support;
