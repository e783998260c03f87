-- Raises the error of a rule (rules). The rule's name is the error's constraint, and ends the text in brackets: many drivers show
-- the text only.

create or replace function counterfoil.refuse(rule text) returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
    broken record;
begin
    select r.* into strict broken from counterfoil.rules r where r.name = refuse.rule;
    raise exception using
        message = format('%s [%s]', broken.message, broken.name), errcode = broken.code, hint = broken.hint,
        schema = 'counterfoil', table = broken.about, constraint = broken.name;
end
$$;
comment on function counterfoil.refuse(text) is 'Private: raises the error of a rule.';
