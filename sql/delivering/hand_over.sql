-- Has the shop's function called for each entry, and leaves nothing of the shop's behind in the session that settles.
--
-- For the delivering triggers, which run as counterfoil_owner: a shop's function can't alter this one.

create or replace function counterfoil.hand_over(shops_function text, entries anyarray) returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
    -- Rounds of deferred triggers that defer others.
    most_rounds constant integer := 20;
    written bigint;
    written_before bigint;
    prepared text;
begin
    begin
        perform counterfoil.call_shop(shops_function, entries);

        -- A deferred trigger may defer others, which would run at the commit. Only a write defers one: when a round wrote
        -- nothing to a table with deferrable triggers, none is left.
        for round in 1..most_rounds loop
            select
                sum(
                    pg_stat_get_xact_tuples_inserted(t.tgrelid) + pg_stat_get_xact_tuples_updated(t.tgrelid)
                    + pg_stat_get_xact_tuples_deleted(t.tgrelid)
                )
            into written
            from pg_trigger t
            where t.tgdeferrable;
            exit when written is null or written = written_before;
            if round = most_rounds then
                raise exception 'the deferred triggers that % fires do not end', shops_function
                    using errcode = 'triggered_action_exception';
            end if;
            written_before := written;
            perform counterfoil.call_shop(null, entries);
        end loop;

        -- A held cursor would run its query at the commit, and a prepared statement may stand in the place of one of the
        -- session's: both with the session's rights.
        if exists (select from pg_cursors c where c.is_holdable)
            or exists (
                select from pg_prepared_statements s where s.from_sql and s.prepare_time >= statement_timestamp()
            ) then
            raise exception '% left a cursor or a prepared statement', shops_function
                using errcode = 'triggered_action_exception';
        end if;
    exception when others or query_canceled or assert_failure then
        -- A rollback leaves prepared statements.
        for prepared in
            select s.name from pg_prepared_statements s where s.from_sql and s.prepare_time >= statement_timestamp()
        loop
            execute format('deallocate %I', prepared);
        end loop;
        raise;
    end;
    -- A path that the shop's function set for the session would outlast it.
    perform set_config('search_path', 'pg_catalog, pg_temp', false);
end
$$;
comment on function counterfoil.hand_over(text, anyarray) is 'Private: calls the shop''s function, and tidies up after it.';
