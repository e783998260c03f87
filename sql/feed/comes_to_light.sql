-- Whether the feed tells at all of a payment that is kept with this reason, and was never told before. Part of the statements that
-- call it, like a view.
create or replace function counterfoil.comes_to_light(of_reason text) returns boolean
language sql immutable
begin atomic
    select of_reason not in ('restored', 'refunded', 'before_ledger');
end;
comment on function counterfoil.comes_to_light(text) is
    'Private: whether the feed tells of a payment that is kept with this reason.';

-- The condition of a trigger is judged with the rights of whoever writes.
grant execute on function counterfoil.comes_to_light(text) to counterfoil_worker, counterfoil_support;
