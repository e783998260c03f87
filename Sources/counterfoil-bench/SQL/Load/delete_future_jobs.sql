-- Takes them away again, for a connection that skips triggers, and tells how many were as they had been inserted.
with deleted as (
    delete from counterfoil.jobs j where j.order_id like 'future-%' returning j.state, j.attempt, j.lease_token
)
select count(*) from deleted d where d.state = 'available' and d.attempt = 0 and d.lease_token = 0
