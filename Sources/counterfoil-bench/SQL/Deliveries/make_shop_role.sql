-- The role and the schema of a shop, as sql/docs/delivering.md has them. A script.

create role shop_backend login;
grant counterfoil_backend to shop_backend;
create schema shop authorization shop_backend;
