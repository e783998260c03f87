-- At which ages of an open order Apple is asked whether its customer paid for it. A client mostly comes back within minutes. Ask
-- to Buy and slow payments take days.
create or replace function counterfoil.search_ages() returns interval[]
language sql immutable parallel safe
return '{10 minutes,2 hours,1 day,3 days}'::interval[];
comment on function counterfoil.search_ages() is 'Private: the ages of an open order at which its payment is searched.';
grant execute on function counterfoil.search_ages() to counterfoil_worker;
