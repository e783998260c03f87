-- Private: the answer to Apple's question about a refund, as it would be sent: what is given, else what the ledger knows, else the
-- app's defaults. question_rule names what stands against any decision, broken_rule what stands against this answer. No row: there
-- is no such question.
--
-- The ledger knows what was granted: that was delivered. What it granted to nobody was not, and nothing of it is consumed. Of a
-- payment from before the ledger it knows neither.
--
-- of_app: the question must be about it. Null: about any.
-- share: how much of it is consumed, in percent.
create or replace function counterfoil.consumption_answer_of(
    of_question uuid, of_app text, consented boolean, delivered text, share numeric, preference text, sample boolean
) returns table (
    notification_id bigint, bundle_id text, environment text, transaction_id text, product_id text, product_kind text,
    account_id text, order_id text, reason text, requested_at timestamptz, deadline timestamptz, decision text,
    customer_consented boolean, delivery_status text, consumed_share numeric, refund_preference text,
    sample_content_provided boolean, question_rule text, broken_rule text
)
language plpgsql stable security definer rows 1 set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
#variable_conflict use_column
begin
    return query
    with question as (
        select
            c.*, b.consumption_consented, b.refund_preference as usual_preference, b.sample_content_provided as usual_sample,
            p.product_id, p.state, p.reason as kept_for, coalesce(p.paid_account_id, p.account_id) as account_id,
            coalesce(p.product_kind, l.kind) as product_kind,
            (select o.order_id from counterfoil.orders o where o.number = p.paid_order_number) as order_id,
            -- The last one: a refused one may be followed by another.
            (
                select a.state from counterfoil.consumption_answers a
                where a.notification_id = c.notification_id
                order by a.id desc
                limit 1
            ) as decision
        from counterfoil.notifications n
        join counterfoil.consumption_requests c on c.notification_id = n.id
        left join counterfoil.apps b on b.bundle_id = c.bundle_id
        left join lateral (
            select s.* from counterfoil.payment_states s
            where s.transaction_id = c.transaction_id and s.bundle_id = c.bundle_id and s.environment = c.environment
            offset 0
        ) p on true
        left join counterfoil.products l on l.bundle_id = c.bundle_id and l.product_id = p.product_id
        where n.notification_uuid = of_question and (of_app is null or c.bundle_id = of_app)
    ), known as (
        select
            q.*, coalesce(consented, q.consumption_consented, false) as customer_consented,
            coalesce(
                delivered,
                case
                    when q.state in ('granted', 'refunded', 'restored', 'renewal') then 'delivered'
                    when q.state in ('unclaimed', 'taken_back') and q.kept_for is distinct from 'before_ledger' then 'undelivered_other'
                end) as delivery_status,
            coalesce(
                share,
                case
                    when delivered is null and q.state in ('unclaimed', 'taken_back') and q.kept_for is distinct from 'before_ledger'
                        and q.product_kind <> 'auto_renewable' then 0
                end) as consumed_share,
            coalesce(preference, q.usual_preference) as refund_preference,
            coalesce(sample, q.usual_sample, false) as sample_content_provided,
            case
                when q.decision <> 'refused' then 'questions_are_answered_once'
                when q.closed_at is not null then 'answers_come_before_apple_decides'
                when q.deadline <= now() then 'answers_come_before_the_deadline'
            end as question_rule
        from question q
    )
    select
        k.notification_id, k.bundle_id, k.environment, k.transaction_id, k.product_id, k.product_kind, k.account_id, k.order_id,
        k.reason, k.requested_at, k.deadline, k.decision, k.customer_consented, k.delivery_status, k.consumed_share,
        k.refund_preference, k.sample_content_provided, k.question_rule,
        case
            when k.question_rule is not null then k.question_rule
            when not k.customer_consented then 'answers_need_the_customers_consent'
            when k.delivery_status is null then 'answers_name_a_delivery_status'
            when k.product_kind = 'auto_renewable' and k.consumed_share is not null then 'periods_have_no_consumed_share'
            -- Of a product of unknown kind Apple may say so itself.
            when k.product_kind <> 'auto_renewable' and k.refund_preference = 'grant_prorated' and coalesce(k.consumed_share, 0) <= 0
                then 'prorated_refunds_need_a_consumed_share'
        end
    from known k
    -- Apple's ids are of one app. Nobody's own text is here: what isn't Apple's is no question.
    order by k.requested_at desc
    limit 1;
end
$$;
comment on function counterfoil.consumption_answer_of(uuid, text, boolean, text, numeric, text, boolean) is
    'Private: the answer to Apple''s question about a refund as it would be sent, and what stands against it.';
grant execute on function counterfoil.consumption_answer_of(uuid, text, boolean, text, numeric, text, boolean)
    to counterfoil_worker, counterfoil_support, counterfoil_reader;
