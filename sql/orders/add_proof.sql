-- A proof for an order that was made before: submit without its order. An order of another account is answered as an unknown one.

create or replace function counterfoil.add_proof(
    order_id text, account_id text, proof text, transaction_id text default null
) returns setof counterfoil.order_status
language plpgsql security definer set search_path = pg_catalog, pg_temp
    -- Idiom: generic plan, also in the sessions of backends.
    set enable_seqscan = off set jit = off
as $$
#variable_conflict use_column
declare
    pending bigint;
    answer counterfoil.order_status;
begin
    perform
    from counterfoil.orders o
    cross join lateral counterfoil.account_now(o.account_id, o.number) n
    where o.order_id = add_proof.order_id and n.account_id = (select k.account_id from counterfoil.account_asked(add_proof.account_id) k);
    if not found then
        perform counterfoil.refuse('job_names_a_known_order');
    end if;
    pending := counterfoil.keep_upload(add_proof.order_id, add_proof.proof, add_proof.transaction_id, true);
    select * into answer from counterfoil.order_status s where s.order_id = add_proof.order_id;
    answer.job_id := pending;
    return next answer;
end
$$;
comment on function counterfoil.add_proof(text, text, text, text) is
    'Adds the proof unless it is pending, and returns the order''s status with the upload''s job_id. Safe to repeat.';

grant execute on function counterfoil.add_proof(text, text, text, text) to counterfoil_backend, counterfoil_support;
