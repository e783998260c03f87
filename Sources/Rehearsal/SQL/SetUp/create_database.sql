-- The database that everything happens in.
create database counterfoil
