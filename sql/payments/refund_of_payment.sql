-- What stands of a payment's refunds: the newest entry of any of its names, by Apple's own time, a known share before one that
-- isn't; no row where none stands.
--
-- Part of the statements that call it, like a view; a look-up for each call.
create or replace function counterfoil.refund_of_payment(
    of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_kind text, of_purchased_at timestamptz
)
returns table (share integer, is_whole boolean, as_of timestamptz, recorded_at timestamptz, occurred_at timestamptz)
language sql stable
begin atomic
    select v.share, v.is_whole, v.as_of, v.recorded_at, v.occurred_at
    from counterfoil.revocations_of_payment(
        of_bundle, of_environment, of_id, of_original, of_item, of_kind, of_purchased_at) v
    order by v.share is null, v.as_of desc, v.share desc, v.occurred_at desc
    limit 1;
end;
comment on function counterfoil.refund_of_payment(text, text, text, text, text, text, timestamptz) is
    'Private: what stands of a payment''s refunds.';
grant execute on function counterfoil.refund_of_payment(text, text, text, text, text, text, timestamptz)
    to counterfoil_worker, counterfoil_support;
