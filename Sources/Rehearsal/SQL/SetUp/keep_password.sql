-- Keeps a password in the session, for give_passwords: a parameter stands in no statement's text.
--
-- $1 text  password
select set_config('rehearsal.password', $1::text, false)
