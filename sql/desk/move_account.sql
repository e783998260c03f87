-- Makes all that an account has another's: one person had two accounts (account_now). Nothing that was granted changes, and nothing
-- is granted. A move of a move is followed; it can't be taken back. Doing it again is harmless. Returns whether it was new, and the
-- account that both are now.
--
-- One at a time: the table is locked, which nothing else writes. So of two moves that make a circle the second is refused.
--
-- only_orders: the orders that somebody looked at before. If the account has others, nothing is moved.
create or replace function counterfoil.move_account(
    from_account text, to_account text, who text, why text, only_orders text[] default null
) returns table (is_new boolean, account_now text)
language plpgsql security definer rows 1 set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
#variable_conflict use_column
declare
    target text;
    told jsonb;
begin
    if length(move_account.from_account) not between 1 and 200 or length(move_account.to_account) not between 1 and 200 then
        perform counterfoil.refuse('account_id_has_1_to_200_characters');
    elsif move_account.from_account = move_account.to_account then
        perform counterfoil.refuse('moves_lead_elsewhere');
    end if;
    lock table counterfoil.moves in share row exclusive mode;
    select n.account_id into target from counterfoil.account_now(move_account.to_account) n;
    if target = move_account.from_account then
        perform counterfoil.refuse('moves_make_no_circle');
    elsif exists (select from counterfoil.moved_accounts m where m.account_id = move_account.from_account) then
        if (select n.account_id from counterfoil.account_now(move_account.from_account) n) <> target then
            perform counterfoil.refuse('account_was_moved');
        end if;
        return query select false, target;
        return;
    elsif not counterfoil.is_known_account(move_account.from_account) then
        perform counterfoil.refuse('moved_accounts_have_orders');
    elsif only_orders is not null and (
        select array_agg(o.order_id order by o.order_id) from counterfoil.orders_of_account(move_account.from_account) o
    ) is distinct from (select array_agg(distinct u.id collate "C" order by u.id collate "C") from unnest(only_orders) u (id)) then
        perform counterfoil.refuse('moves_are_as_previewed');
    end if;

    insert into counterfoil.moves (from_account, to_account, who, why)
    values (move_account.from_account, move_account.to_account, move_account.who, move_account.why);
    update counterfoil.moved_accounts m set account_now = target where m.account_now = move_account.from_account;
    insert into counterfoil.moved_accounts (account_id, account_now) values (move_account.from_account, target);

    told := jsonb_build_object('from_account', move_account.from_account, 'to_account', target);
    insert into counterfoil.changes (kind, details)
    select 'account_moved', told || jsonb_build_object('account_id', a.account_id)
    from unnest(array[move_account.from_account, target]) as a (account_id);

    -- Webhooks may say after the move what they were to say before it.
    perform from counterfoil.webhook_endpoints w order by w.number for no key update;
    update counterfoil.webhook_events v
    set body = jsonb_set(v.body::jsonb, '{data,account_id}', to_jsonb(target))::text
    from counterfoil.webhook_endpoints w
    where v.endpoint = w.number and v.key not like 'account %'
        and v.body::json #>> '{data,account_id}' = move_account.from_account;
    return query select true, target;
end
$$;
comment on function counterfoil.move_account(text, text, text, text, text[]) is
    'Private: makes all that an account has another''s, for a reason.';
grant execute on function counterfoil.move_account(text, text, text, text, text[]) to counterfoil_support;
