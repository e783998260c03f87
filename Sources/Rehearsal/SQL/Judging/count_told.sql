-- How many notifications about a transaction had their effect.
--
-- $1 text  transaction
select count(*) from counterfoil.notifications n where n.transaction_id = $1::text and n.outcome is not null
