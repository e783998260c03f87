-- Whether this database has the table of migrations at all.
select to_regclass('counterfoil.migrations') is not null
