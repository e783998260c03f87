-- Makes all that an account has another's.
--
-- $1 text  from    $2 text  to    $3 text  who    $4 text  why
-- $5 text[]  the ids of the orders that were looked at, as call_orders_of_account has them, or null
select m.is_new, m.account_now
from counterfoil.move_account(
    $1::text, $2::text, $3::text, $4::text,
    case when $5::text[] is not null then array(select u.line::json #>> '{}' from unnest($5::text[]) as u (line)) end
) m
