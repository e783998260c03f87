-- Raises the error by which a statement of first grants writes nothing (grant_first_payments). Its code is ours alone: the worker
-- then settles with the statements of all settlements, and counts no failure.

create or replace function counterfoil.refuse_moved_grants() returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
    raise exception using message = 'a lease or an order of a grant was moved meanwhile', errcode = 'CF001';
end
$$;
comment on function counterfoil.refuse_moved_grants() is 'Private: raises the error of grants whose jobs or orders were moved.';
grant execute on function counterfoil.refuse_moved_grants() to counterfoil_worker;
