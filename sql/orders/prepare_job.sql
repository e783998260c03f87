-- Places an inserted job in its lane, finds its order's number, and checks its order's account, the limits of pending jobs, and
-- what never changes of it.
--
-- Jobs: 20, or 100 with the jobs whose receipts lack the purchase: for these the client was asked to send another proof. Bytes of
-- their proofs: 32 MiB. The limits count the jobs that this statement sees. Jobs that others insert at the same moment may take an
-- order past them; a lock would prevent that, and a slow backend could hold it against the settlement.
--
-- The lane is a guess from the proof's first characters, wrapped or not; a worker corrects it. An id without a proof, which anybody
-- can invent, comes after proofs.

create or replace function counterfoil.prepare_job() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
    -- Idiom: generic plan, also in the sessions of backends.
    set enable_seqscan = off set jit = off
as $$
declare
    broken text := counterfoil.rule_broken_by_job(new.kind, new.order_id, new.transaction_id, new.proof, new.notification_id);
    ordered record;
    start text := ltrim(substr(new.proof, 1, 64));
    -- Quotes, brackets or a byte order mark may come first, and it may be base64 or hex of a signed transaction.
    is_signed boolean := start ~ '^\W*(eyJ|ZXlK|x65794a)|"eyJ';
    is_bare_id boolean := start ~ '^\W*[0-9]{1,20}\W*$';
begin
    -- Follow-ups and notifications come with their lane. A follow-up comes where a job of its order ends.
    if new.kind <> 'verify' then
        if broken is not null then
            perform counterfoil.refuse(broken);
        end if;
        new.is_alone := new.order_id is null;
        if new.order_id is not null and new.order_number is null then
            select o.number into new.order_number from counterfoil.orders o where o.order_id = new.order_id;
            if not found then
                perform counterfoil.refuse('job_names_a_known_order');
            end if;
        end if;
        return new;
    end if;

    select
        o.number, o.bundle_id, o.account_id, a.receipt_route, coalesce(a.confirm_after = interval '0', false) as confirms_always,
        case
            when p.verifying >= 100 or p.proving >= 20 then 'at_most_20_pending_jobs_an_order'
            when p.bytes + octet_length(new.proof) > 32 * 1048576 then 'at_most_32_mib_of_pending_proofs_an_order'
        end as broken_limit,
        p.jobs = 0 as is_alone
    into ordered
    from counterfoil.orders o
    join counterfoil.apps a on a.bundle_id = o.bundle_id
    cross join lateral (
        select
            count(*) as jobs, count(*) filter (where j.kind = 'verify') as verifying,
            count(*) filter (where j.kind = 'verify' and j.reason is distinct from 'purchase_not_in_receipt') as proving,
            sum(j.bytes) as bytes
        from (
            select j.kind, j.reason, octet_length(j.proof) as bytes from counterfoil.jobs j
            where j.order_number = o.number and j.state <> 'discarded'
            limit 110
        ) j
    ) p
    where o.order_id = new.order_id;

    if not found then
        perform counterfoil.refuse('job_names_a_known_order');
    end if;
    if new.account_id is not null and new.account_id <> ordered.account_id
        and (select k.account_id from counterfoil.account_asked(new.account_id) k)
            <> (select n.account_id from counterfoil.account_now(ordered.account_id, ordered.number) n)
    then
        perform counterfoil.refuse('job_belongs_to_the_orders_account');
    end if;
    broken := coalesce(ordered.broken_limit, broken);
    if broken is not null then
        perform counterfoil.refuse(broken);
    end if;

    new.order_number := ordered.number;
    new.is_alone := ordered.is_alone;
    select g.lane into new.lane
    from counterfoil.gates g
    where g.bundle_id = ordered.bundle_id
        and case
            when is_signed and not ordered.confirms_always then g.route = 'local'
            when is_signed or is_bare_id
                then g.route = 'server_api' and g.environment = 'production'
            when ordered.receipt_route = 'verify_receipt'
                then g.route = 'verify_receipt' and g.environment = 'production'
            when ordered.receipt_route = 'local_only' then g.route = 'local'
            else g.route = 'server_api' and g.environment = 'production'
        end;
    if is_bare_id then
        new.priority := greatest(new.priority, 2);
    end if;
    return new;
end
$$;

select counterfoil.make_trigger('counterfoil.jobs', 'prepare_job', $$
    before insert on counterfoil.jobs
    for each row execute function counterfoil.prepare_job()
$$);
