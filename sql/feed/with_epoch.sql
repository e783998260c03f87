-- A number drawn from a sequence, as it is given: with its epoch before it.
--
-- The epoch is the server's timeline, which rises with each failover, and an offset, which rises with each restore (adopt_changes).
-- A failover may lose numbers that the old server gave, and the new one draws them again, for other rows: in a higher epoch.
--
-- A sequence that outlives its epoch goes on in the numbers of the next one. Two rows would have one number only if a failover lost
-- a whole epoch's numbers. Past the last epoch numbers would be no exact numbers any more to a reader that takes them for binary
-- fractions, which hold 2^53 (JSON): there they end. Health warns at nine tenths.

create or replace function counterfoil.with_epoch(drawn bigint, numbers_an_epoch bigint) returns bigint
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
    last_epoch constant bigint := 899;
    timeline constant bigint := ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::bigint;
    number constant bigint := (timeline + (select f.epoch_offset from counterfoil.feed f)) * numbers_an_epoch + drawn;
begin
    if number / numbers_an_epoch > last_epoch then
        perform counterfoil.refuse('numbers_have_ended');
    end if;
    return number;
end
$$;
comment on function counterfoil.with_epoch(bigint, bigint) is 'Private: a drawn number with its epoch before it.';
