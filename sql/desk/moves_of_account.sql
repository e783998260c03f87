-- Private: the moves and transfers from an account and to it, the latest first.
create or replace function counterfoil.moves_of_account(of_account text, most integer)
returns table (moved_at timestamptz, what text, order_id text, from_account text, to_account text, who text, why text)
language plpgsql stable security definer rows 5 set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
#variable_conflict use_column
begin
    return query
    select
        m.moved_at, case when m.order_number is null then 'account moved' else 'order transferred' end, o.order_id, m.from_account,
        m.to_account, m.who, m.why
    from (
        select v.* from counterfoil.moves v where v.from_account = of_account
        union
        select v.* from counterfoil.moves v where v.to_account = of_account
    ) m
    left join lateral (select o.order_id from counterfoil.orders o where o.number = m.order_number offset 0) o on true
    order by m.id desc
    limit most;
end
$$;
comment on function counterfoil.moves_of_account(text, integer) is 'Private: the moves and transfers from an account and to it.';
grant execute on function counterfoil.moves_of_account(text, integer) to counterfoil_worker, counterfoil_support, counterfoil_reader;
