-- Private: what a person does next about an order: why, and the one command that helps, with its ids filled in and WHY where the
-- person's reason goes. The command is null where nobody has to do anything, or where only the customer can.

create or replace function counterfoil.next_step(of_order text)
returns table (step text, command text)
language plpgsql stable security definer rows 1 set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
#variable_conflict use_column
declare
    o record;
    paid record;
    gate record;
    asked record;
    kept record;
    holder text;
begin
    select s.*, r.product_id as ordered_product_id, r.number, r.quantity as ordered_quantity, r.reason as own_reason into o
    from counterfoil.orders r
    cross join lateral (select * from counterfoil.order_status s where s.order_id = r.order_id offset 0) s
    where r.order_id = of_order;
    if not found then
        return;
    end if;

    if o.state in ('fulfilled', 'refunded') then
        select c.deadline, c.transaction_id, n.notification_uuid, a.consumption_consented into asked
        from counterfoil.consumption_requests c
        join counterfoil.notifications n on n.id = c.notification_id
        join counterfoil.apps a on a.bundle_id = c.bundle_id
        where c.transaction_id = o.transaction_id and c.bundle_id = o.bundle_id and c.closed_at is null and c.deadline > now()
            and not exists (
                select from counterfoil.consumption_answers a where a.notification_id = c.notification_id and a.state <> 'refused'
            )
        order by c.deadline
        limit 1;
        if found then
            return query select
                format('Apple asks about a refund of transaction %s until %s: answer it%s, or decline.', asked.transaction_id,
                    to_char(asked.deadline at time zone 'UTC', 'YYYY-MM-DD HH24:MI "UTC"'),
                    case when not asked.consumption_consented then ' if the customer consented (--consented true)' else '' end),
                'counterfoil consumption answer --why WHY ' || asked.notification_uuid;
        elsif o.state = 'fulfilled' then
            return query select
                'Nothing: the order is paid. If the customer lacks the goods, the shop delivers them; see its feed.', null::text;
        else
            return query select
                'Nothing: Apple gave the money back. If Apple reversed the refund, record that.',
                'counterfoil orders refund --reversed --why WHY ' || counterfoil.shell_words(of_order);
        end if;
        return;
    end if;

    -- A payment that waits for an order of this account and product.
    select u.transaction_id, u.reason, u.product_id, u.quantity into paid
    from (
        select p.transaction_id, p.bundle_id, p.environment, p.product_id, p.quantity, p.reason, p.seen_at, 1 as rank
        from counterfoil.payments p
        where p.transaction_id = o.transaction_id and p.bundle_id = o.bundle_id and p.reason is not null
        union all
        (
            select p.transaction_id, p.bundle_id, p.environment, p.product_id, p.quantity, p.reason, p.seen_at, 2
            from counterfoil.payments p
            where p.shown_by_number = o.number and p.reason is not null
            limit 20
        )
        union all
        (
            select p.transaction_id, p.bundle_id, p.environment, p.product_id, p.quantity, p.reason, p.seen_at, 3
            from counterfoil.accounts_of(o.account_id) k
            cross join lateral (
                select * from counterfoil.payments p
                where p.account_id = k.account_id and p.reason is not null
                order by p.account_id desc, p.seen_at desc
                limit 50
            ) p
            where p.bundle_id = o.bundle_id and p.product_id = o.ordered_product_id and p.quantity >= o.ordered_quantity
        )
    ) u
    cross join lateral (
        select s.state from counterfoil.payment_states s
        where s.transaction_id = u.transaction_id and s.bundle_id = u.bundle_id and s.environment = u.environment
        offset 0
    ) s
    where s.state = 'unclaimed'
    order by u.rank, u.product_id <> o.ordered_product_id, u.seen_at desc
    limit 1;

    if o.job_id is not null then
        select g.lane, g.closed_by, g.why into gate
        from counterfoil.jobs j join counterfoil.gates g on g.lane = j.lane
        where j.id = o.job_id and g.state = 'closed';
        if found and gate.closed_by = 'operator' then
            return query select
                format('An operator closed gate %s (%s): the proof waits behind it.', gate.lane, gate.why),
                format('counterfoil gates open --why WHY %s', gate.lane);
        elsif found and gate.closed_by = 'configuration' then
            return query select
                format('Gate %s is closed for the app''s secret or key (%s): mend that.', gate.lane, gate.why), 'counterfoil doctor';
        elsif found then
            return query select 'Nothing: Apple fails, or asks for fewer calls. The proof waits and is judged by itself.', null::text;
        elsif o.reason = 'purchase_not_in_receipt' then
            return query select
                'The customer opens the app again and restores purchases: the receipt lacks the purchase.', null::text;
        else
            return query select
                format('Nothing: the proof is judged at %s.',
                    to_char(o.next_attempt_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS "UTC"')), 'counterfoil jobs show ' || o.job_id;
        end if;
        return;
    end if;

    if o.client_action = 'order_again' then
        return query select
            format('The shop makes an order of %s × %s for this account: transaction %s pays for it.', o.order_again_quantity,
                o.order_again_product_id, o.order_again_transaction_id),
            'counterfoil payments show ' || counterfoil.shell_words(o.order_again_transaction_id);
    elsif o.client_action = 'finish' and o.transaction_id is not null then
        select h.order_id into holder
        from counterfoil.payment_states s
        join counterfoil.orders h on h.number = s.paid_order_number
        where s.transaction_id = o.transaction_id and s.bundle_id = o.bundle_id
        limit 1;
        return query select
            format('Nothing: the account was granted transaction %s by another order.', o.transaction_id),
            'counterfoil orders show ' || counterfoil.shell_words(holder);
    -- What is another's is kept as if this order had not shown it: its own reason is no doubt.
    elsif paid.transaction_id is not null and o.state <> 'cancelled'
        and (paid.reason in ('owner_mismatch', 'token_missing') or o.own_reason = 'owner_mismatch')
    then
        return query select
            format('Transaction %s is paid, and may be another account''s (%s): see whose it is. Only if it is this customer''s, grant '
                'it by counterfoil orders assign --override.', paid.transaction_id,
                case when o.own_reason = 'owner_mismatch' then o.own_reason else paid.reason end),
            -- Its token is borne by the orders of whom it is.
            'counterfoil find ' || counterfoil.shell_words(coalesce(
                (
                    select p.app_account_token::text
                    from counterfoil.payments p
                    where p.transaction_id = paid.transaction_id and p.bundle_id = o.bundle_id and p.app_account_token is not null
                    limit 1
                ),
                paid.transaction_id));
    elsif paid.transaction_id is not null and o.state <> 'cancelled' then
        return query select
            format('Transaction %s is paid and was granted to nobody (%s): grant it to this order, if it was made for it.',
                paid.transaction_id, paid.reason),
            'counterfoil orders assign --why WHY ' || counterfoil.shell_words(paid.transaction_id, of_order);
    elsif o.reason = 'granted_to_another_account' then
        return query select
            format('Transaction %s was granted to another account: see whose it is, and answer the customer nothing of it.',
                o.transaction_id), 'counterfoil find ' || counterfoil.shell_words(o.transaction_id);
    elsif o.state = 'open' then
        return query select
            'The customer opens the app, which sends the proof. Without it, Apple''s mail helps: its order id begins with M.',
            'counterfoil orders look-up --bundle ' || counterfoil.shell_words(o.bundle_id) || ' APPLE_ORDER_ID';
    elsif o.state = 'cancelled' then
        return query select 'Nothing: the order is cancelled and nobody paid for it.', null::text;
    else
        select p.job_id, p.reason into kept
        from counterfoil.proofs p where p.order_id = of_order order by p.kept_at desc limit 1;
        if o.state = 'rejected' and o.client_action = 'resend_proof' then
            return query select
                'The customer opens the app, which sends the proof again. Otherwise look at the proof that came.',
                format('counterfoil proofs get --why WHY --output proof.txt %s', kept.job_id);
        elsif kept.job_id is not null then
            return query select
                'Once the cause is mended, judge the kept proof again; see the reason above.',
                format('counterfoil jobs retry --reason %s --order %s --why WHY', kept.reason, counterfoil.shell_words(of_order));
        else
            return query select
                'Nothing is kept of the proof. Apple''s mail to the customer helps: its order id begins with M.',
                'counterfoil orders look-up --bundle ' || counterfoil.shell_words(o.bundle_id) || ' APPLE_ORDER_ID';
        end if;
    end if;
end
$$;
comment on function counterfoil.next_step(text) is 'Private: what a person does next about an order, and the command for it.';
grant execute on function counterfoil.next_step(text) to counterfoil_worker, counterfoil_support, counterfoil_reader;
