-- Takes a notification of Apple's.
--
-- $1 text  the body of Apple's request
select counterfoil.receive_notification($1::text)
