-- As a backend hands over what Apple, or somebody else, sent.
--
-- $1 text  payload
select counterfoil.receive_notification($1::text)
