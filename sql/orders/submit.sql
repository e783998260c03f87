-- Order and job in one idempotent call: place_order and add_proof at once.

create or replace function counterfoil.submit(
    order_id text, bundle_id text, product_id text, account_id text, proof text, quantity integer default 1,
    app_account_token uuid default null, recovery boolean default false, transaction_id text default null
) returns setof counterfoil.order_status
language plpgsql security definer set search_path = pg_catalog, pg_temp
    -- Idiom: generic plan, also in the sessions of backends.
    set enable_seqscan = off set jit = off
as $$
#variable_conflict use_column
declare
    kept text;
    pending bigint;
    answer counterfoil.order_status;
begin
    kept := counterfoil.keep_order(
        submit.order_id, submit.bundle_id, submit.product_id, submit.account_id, submit.quantity, submit.app_account_token,
        submit.recovery
    );
    -- A new order has no jobs. Of one that is seen anew an attempt may be judging the proof by what the order was.
    pending := counterfoil.keep_upload(submit.order_id, submit.proof, submit.transaction_id, kept = 'known');
    select * into answer from counterfoil.order_status s where s.order_id = submit.order_id;
    answer.job_id := pending;
    return next answer;
end
$$;
comment on function counterfoil.submit(text, text, text, text, text, integer, uuid, boolean, text) is
    'Makes the order unless it exists, adds the proof unless it is pending, returns the order''s status with the '
    'upload''s job_id. Safe to repeat.';

grant execute on function counterfoil.submit(text, text, text, text, text, integer, uuid, boolean, text)
    to counterfoil_backend, counterfoil_support;
