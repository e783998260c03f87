-- How many attempts the roll-ups by the minute hold.
select coalesce(sum(m.attempts), 0)::bigint from counterfoil.attempt_minutes m
