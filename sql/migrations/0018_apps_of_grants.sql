-- A grant's app is its order's, which is known. The grant's own key said so once more, and cost each settlement a look at the app
-- and a lock on its row for every grant: on one row, by all workers.

set local role counterfoil_owner;

alter table counterfoil.grants drop constraint grant_names_a_known_app;
