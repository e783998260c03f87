-- What an endpoint is sent for a change: enough to deliver by. Never a proof, a token or a price.
--
-- details is the feed's, of the kinds that nothing else explains. The state of a subscription is long, and may be asked for.

create or replace function counterfoil.webhook_body(kind text, at timestamptz, data jsonb) returns text
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
    return json_build_object(
        'type', webhook_body.kind,
        'timestamp', to_char(webhook_body.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'data', json_build_object(
            -- As text: JavaScript's numbers have 53 bits, and other ids of ours are text.
            'id', webhook_body.data ->> 'id',
            'order_id', webhook_body.data -> 'order_id',
            'order_version', webhook_body.data -> 'order_version',
            'account_id', webhook_body.data -> 'account_id',
            'bundle_id', webhook_body.data -> 'bundle_id',
            'environment', webhook_body.data -> 'environment',
            'transaction_id', webhook_body.data -> 'transaction_id',
            'original_transaction_id', webhook_body.data -> 'original_transaction_id',
            'product_id', webhook_body.data -> 'product_id',
            'quantity', webhook_body.data -> 'quantity',
            'reason', webhook_body.data -> 'reason',
            'refunded_share', webhook_body.data -> 'refunded_share',
            'details', case
                when webhook_body.kind in (
                    'account_moved', 'order_transferred', 'account_forgotten', 'payment_renamed', 'notification_stored'
                ) then webhook_body.data -> 'details'
            end
        )
    )::text;
end
$$;
comment on function counterfoil.webhook_body(text, timestamptz, jsonb) is 'Private: what an endpoint is sent for a change.';

-- For counterfoil webhooks test.
grant execute on function counterfoil.webhook_body(text, timestamptz, jsonb) to counterfoil_support;
