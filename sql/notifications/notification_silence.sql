-- Private: when an app's notifications came last, by environment, and what of them isn't verified or wasn't Apple's.

create or replace view counterfoil.notification_silence as
select
    a.bundle_id, e.environment, l.received_at as last_at, l.type as last_type, h.received_at as last_from_history_at
from counterfoil.apps a
cross join (values ('production'), ('sandbox')) as e (environment)
left join lateral (
    select n.received_at, n.type
    from counterfoil.notifications n
    where n.bundle_id = a.bundle_id and n.environment = e.environment
    order by n.received_at desc
    limit 1
) l on true
left join lateral (
    select n.received_at
    from (
        select x.received_at, x.source from counterfoil.notifications x
        where x.bundle_id = a.bundle_id and x.environment = e.environment
        order by x.received_at desc
        limit 1000
    ) n
    where n.source = 'history'
    limit 1
) h on true;
comment on view counterfoil.notification_silence is 'Private: when the notifications of an app came last, by environment.';

alter view counterfoil.notification_silence owner to counterfoil_owner;
grant select on counterfoil.notification_silence to counterfoil_worker, counterfoil_support, counterfoil_reader;
