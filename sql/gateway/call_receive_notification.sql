-- Takes the body of a notification of Apple's; the answer of receive_notification.
--
-- $1 text  body
-- $2 bool  whether Apple signed it
select counterfoil.store_notification($1::text, 'push', $2::boolean)
