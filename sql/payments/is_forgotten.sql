-- Whether an account is the pseudonym of one that was forgotten (forget_account): what it was granted stays, and nothing that comes
-- later is its. Idiom: generic plan.
create or replace function counterfoil.is_forgotten(of_account text) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
begin
    return of_account like 'forgotten-%' and (select true from counterfoil.erasures e where e.pseudonym = of_account) is not null;
end
$$;
comment on function counterfoil.is_forgotten(text) is 'Private: whether an account is the pseudonym of one that was forgotten.';
grant execute on function counterfoil.is_forgotten(text)
    to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
