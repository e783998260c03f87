-- Whether the uploads of a rejected order were unreadable, or no purchase, so often that another one is no help: a client that
-- makes its customer sign in for each has to stop.
--
-- | Limit | Default | |
-- |---|---|---|
-- | uploads | 5 | unreadable ones within the period |
-- | period | 1 hour | before the order's last attempt, so that the answer stays until something else is uploaded |
-- | most | 200 attempts | of an order with more, none is read: the answer is yes |
--
-- A proof that an operator had judged again is no upload.

create or replace function counterfoil.uploads_are_unreadable(
    order_id text, attempts integer, last_attempt_at timestamptz, uploads integer default 5,
    period interval default interval '1 hour', most integer default 200
) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
    -- By the indexes of orders alone: an hour of all orders' attempts is much to read.
    set enable_seqscan = off set enable_bitmapscan = off set jit = off
as $$
begin
    return case
        when attempts < uploads then false
        when attempts > most then true
        else (
            select count(*) >= uploads
            from counterfoil.attempts a
            where a.order_number = (select o.number from counterfoil.orders o where o.order_id = uploads_are_unreadable.order_id)
                and a.finished_at > last_attempt_at - period and a.finished_at <= last_attempt_at
                and a.disposition = 'complete' and a.reason in ('malformed_proof', 'not_a_purchase', 'proof_too_large')
                and not exists (
                    -- Its job was made with the event. The time of the attempt is rounded.
                    select from counterfoil.order_events e
                    where e.order_id = uploads_are_unreadable.order_id and e.kind = 'judged_again'
                        and e.occurred_at between a.submitted_at - interval '1 ms' and a.submitted_at + interval '1 ms'
                )
        )
    end;
end
$$;
comment on function counterfoil.uploads_are_unreadable(text, integer, timestamptz, integer, interval, integer) is
    'Private: whether an order''s uploads were unreadable so often that the client should send no more.';

-- A view's functions are called with the rights of whoever reads it.
grant execute on function counterfoil.uploads_are_unreadable(text, integer, timestamptz, integer, interval, integer)
    to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
