-- Whether this database has the book of migrations at all.
select to_regclass('counterfoil.migrations') is not null
