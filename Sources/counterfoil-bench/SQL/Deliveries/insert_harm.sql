-- From now on the shop's function does harm.
--
-- $1 text  'raises' or 'sleeps'
insert into shop.harm (kind) values ($1::text)
