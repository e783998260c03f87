-- As on a managed server: the database belongs to a role that may create roles, and is no superuser.
do $$
begin
    create role counterfoil_admin login createrole;
    alter database counterfoil owner to counterfoil_admin;
end
$$
