-- Takes a notification of Apple's as receive_notification does, by its source: push, which Apple sent, or history, of which Apple
-- was asked (take_from_history). Customers' proofs come before those of the history. So a backend can't choose it. What the caller
-- has verified by Apple's signature (is_verified) is taken beyond the number of those that wait to be.

create or replace function counterfoil.store_notification(
    payload text, source text, is_verified boolean default false
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp
    -- Idiom: generic plan, also in the sessions of backends.
    set enable_seqscan = off set jit = off
as $$
#variable_conflict use_column
declare
    most_unverified constant integer := 2000;
    signed_form constant text := '^[A-Za-z0-9_-]+[.][A-Za-z0-9_-]+[.][A-Za-z0-9_-]+$';
    signed text := btrim(store_notification.payload, E' \t\r\n');
    unreadable_kind text;
    usual_lock_timeout constant text := current_setting('lock_timeout');
    part text;
    claims jsonb;
    about jsonb;
    uuid uuid;
    bundle text;
    store text;
    hash bytea;
    new_id bigint;
    known_id bigint;
    is_unqueued boolean;
    app_lane integer;
    oldest bigint;
    newest bigint;
    unverified bigint;
begin
    if octet_length(store_notification.payload) > 262144 then
        perform counterfoil.refuse('notification_has_at_most_256_kib');
    end if;

    begin
        if signed like '{%' then
            signed := signed::jsonb ->> 'signedPayload';
        end if;
    exception when data_exception or program_limit_exceeded then
        signed := null;
    end;
    if (signed ~ signed_form) is not true then
        -- Few are wrapped in another way.
        signed := counterfoil.signed_text_in(store_notification.payload);
    end if;
    begin
        -- "translate" and "rpad" take ten times as long.
        part := replace(replace(split_part(signed, '.', 2), '-', '+'), '_', '/');
        claims := convert_from(decode(part || repeat('=', (4 - length(part) % 4) % 4), 'base64'), 'UTF8')::jsonb;
        -- data, summary and whatever Apple adds: the object that names the app. NotificationPayload takes the same.
        select e.value into about
        from jsonb_each(claims) e
        where jsonb_typeof(e.value) = 'object' and jsonb_typeof(e.value -> 'bundleId') = 'string'
        order by e.key <> 'data', jsonb_typeof(e.value -> 'signedTransactionInfo') is distinct from 'string', e.key collate "C"
        limit 1;
        uuid := claims ->> 'notificationUUID';
        bundle := about ->> 'bundleId';
        store := case
            when about ->> 'environment' = 'Production' then 'production'
            when about ->> 'environment' = 'Sandbox' then 'sandbox'
            when about ? 'environment' then null
            -- https://developer.apple.com/documentation/appstoreservernotifications/externalpurchasetoken
            when about ->> 'externalPurchaseId' like 'SANDBOX%' then 'sandbox'
            else 'production'
        end;
    exception when data_exception or program_limit_exceeded then
        -- Unreadable, as below.
        uuid := null;
    end;
    if (
        uuid is not null and store is not null and length(bundle) between 1 and 155
        and length(claims ->> 'notificationType') between 1 and 100 and coalesce(length(claims ->> 'subtype'), 1) between 1 and 100
    ) is not true then
        unreadable_kind := case
            when signed is null and store_notification.payload ~ '"notification_type"' then 'version_1'
            when signed is null and store_notification.payload ~ '[^A-Za-z0-9_.=\s-]'
                and store_notification.payload ~ '"notificationType"|[A-Za-z0-9_-]{16,}[.][A-Za-z0-9_-]{16,}[.][A-Za-z0-9_-]{16,}'
                then 'wrapped'
            when claims is null or jsonb_typeof(claims) <> 'object' then 'damaged'
            when not claims ? 'notificationType' then 'no_notification'
            when uuid is not null and bundle <> '' and store is null then 'another_store'
            else 'damaged'
        end;
        -- Counted unless somebody else counts: nobody waits for that.
        update counterfoil.unreadable_notifications u
        set refused = u.refused + 1, first_at = coalesce(u.first_at, now()), last_at = now()
        where u.kind = (
            select l.kind from counterfoil.unreadable_notifications l
            where l.kind = unreadable_kind
            for no key update skip locked
        );
        return 'unreadable: ' || unreadable_kind;
    end if;

    hash := sha256(convert_to(signed, 'UTF8'));
    select g.lane into app_lane from counterfoil.gates g where g.bundle_id = bundle and g.route = 'local';
    select n.id, n.outcome is null and not n.is_of_an_app into known_id, is_unqueued
    from (
        -- Idiom: offset 0. Looked up by uuid, never by app.
        select n.* from counterfoil.notifications n where n.notification_uuid = uuid offset 0
    ) n
    where n.bundle_id = bundle and n.environment = store and (n.outcome is not null or n.payload_hash = hash)
    order by n.outcome is null
    limit 1;
    if known_id is not null then
        -- It came while its app was being added.
        if is_unqueued and app_lane is not null then
            update counterfoil.notifications n set is_of_an_app = true where n.id = known_id;
            insert into counterfoil.jobs (kind, notification_id, lane, priority)
            values ('notification', known_id, app_lane, 3)
            on conflict do nothing;
        end if;
        return 'known';
    end if;

    -- Ids follow each other: few wait where the newest and the oldest are close. Else they are counted.
    if app_lane is not null then
        select n.id into oldest from counterfoil.notifications n
        where n.outcome is null and n.is_of_an_app and n.bundle_id = bundle
        order by n.id limit 1;
        select n.id into newest from counterfoil.notifications n
        where n.outcome is null and n.is_of_an_app and n.bundle_id = bundle
        order by n.id desc limit 1;
    end if;
    if not store_notification.is_verified and (app_lane is null or newest - oldest >= most_unverified - 1) then
        select count(*) into unverified
        from (
            (
                select from counterfoil.notifications n
                where n.outcome is null and n.is_of_an_app and app_lane is not null and n.bundle_id = bundle
                limit most_unverified
            )
            union all
            (
                select from counterfoil.notifications n
                where n.outcome is null and not n.is_of_an_app and app_lane is null
                limit most_unverified
            )
        ) w;
    end if;
    if unverified >= most_unverified then
        perform counterfoil.refuse('at_most_2000_unverified_notifications');
    end if;

    -- A migration may hold the table: that is waited for. The same text may be stored by a call that isn't committed: that isn't.
    lock table counterfoil.notifications in row exclusive mode;
    begin
        perform set_config('lock_timeout', '20ms', true);
        insert into counterfoil.notifications (
            notification_uuid, bundle_id, environment, type, subtype, signed_at, source, payload, payload_hash, is_of_an_app
        )
        values (
            uuid, bundle, store, claims ->> 'notificationType', claims ->> 'subtype',
            case
                when jsonb_typeof(claims -> 'signedDate') = 'number' and (claims ->> 'signedDate')::numeric between 0 and 253402300799999
                    then to_timestamp((claims ->> 'signedDate')::numeric / 1000)
            end,
            store_notification.source, signed, hash, app_lane is not null
        )
        on conflict (notification_uuid, bundle_id, environment, payload_hash) do nothing
        returning id into new_id;
        perform set_config('lock_timeout', usual_lock_timeout, true);
    exception when lock_not_available then
        return 'being_stored';
    end;
    if new_id is null then
        return 'known';
    end if;
    if app_lane is null then
        return 'unknown_app';
    end if;
    insert into counterfoil.jobs (kind, notification_id, lane, priority)
    values ('notification', new_id, app_lane, case store_notification.source when 'push' then 1 else 3 end);
    return 'stored';
end
$$;
comment on function counterfoil.store_notification(text, text, boolean) is
    'Private: takes a notification of Apple''s, by its source: push or history.';

grant execute on function counterfoil.store_notification(text, text, boolean)
    to counterfoil_worker, counterfoil_support, counterfoil_gateway;
