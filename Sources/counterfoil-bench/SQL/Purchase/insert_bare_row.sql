-- The least that a committed insert costs.
--
-- $1 text  id    $2 text  account
insert into public.bare_rows (id, account_id) values ($1::text, $2::text)
