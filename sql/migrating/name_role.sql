-- The role of this session, whether its server is a standby, and whether the role may do a worker's work.
select
    session_user::text as role, pg_is_in_recovery() as is_standby,
    coalesce(has_any_column_privilege(to_regclass('counterfoil.jobs')::oid, 'update'), false) as may_work
