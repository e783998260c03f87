-- A notification of an app that waits to be verified, and whose job is gone: nobody will ever look at it.
select n.id, n.bundle_id, n.received_at
from counterfoil.notifications n
where n.outcome is null
    and (n.is_of_an_app or exists (select from counterfoil.gates g where g.bundle_id = n.bundle_id and g.route = 'local'))
    and not exists (select from counterfoil.jobs j where j.notification_id = n.id and j.kind = 'notification')
limit 100
