-- What an insert of the backend's may return or find taken: the ids, which an ORM asks for.

set local role counterfoil_owner;

grant select (id, order_id) on counterfoil.jobs to counterfoil_backend;
grant select (order_id) on counterfoil.orders to counterfoil_backend;
