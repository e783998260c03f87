-- The yardstick's own database, on the server of the bench.
create database yardstick template template0
