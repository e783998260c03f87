-- Order and job in one idempotent call.

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
    known counterfoil.orders;
    is_seen_anew boolean := false;
    pending bigint;
    answer counterfoil.order_status;
begin
    insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, quantity, app_account_token, recovery)
    values (
        submit.order_id, submit.bundle_id, submit.product_id, submit.account_id, submit.quantity,
        submit.app_account_token, submit.recovery
    )
    on conflict on constraint order_ids_are_unique do nothing;

    if not found then
        select * into known from counterfoil.orders o where o.order_id = submit.order_id;
        if (known.bundle_id, known.product_id, known.account_id, known.quantity)
                is distinct from (submit.bundle_id, submit.product_id, submit.account_id, submit.quantity)
            or known.app_account_token is distinct from submit.app_account_token
        then
            perform counterfoil.refuse('order_ids_are_unique');
        end if;
        if submit.recovery and not known.recovery then
            update counterfoil.orders o set recovery = true where o.order_id = submit.order_id;
            is_seen_anew := true;
        end if;
    end if;

    -- The same proof again, while it is pending, is the same job, unless an attempt may be judging it by what the order was.
    -- Lengths differ first, and cost nothing to compare. A new order has no jobs.
    if known.number is not null and not is_seen_anew then
        select max(j.id) into pending
        from counterfoil.jobs j
        where j.order_number = known.number and j.state <> 'discarded'
            and octet_length(j.proof) = octet_length(submit.proof) and j.proof = submit.proof
            and j.transaction_id is not distinct from submit.transaction_id;
    end if;
    if pending is null then
        insert into counterfoil.jobs (order_id, proof, transaction_id)
        values (submit.order_id, submit.proof, submit.transaction_id)
        returning id into pending;
    end if;

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
