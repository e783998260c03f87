-- Lets the roll-ups begin so many hours ago; what is older was counted at once.
--
-- $1 int4  hours
update counterfoil.roll_up_marks
set counted_to = date_trunc('hour', now()) - make_interval(hours => $1::integer),
    final_to = date_trunc('hour', now()) - make_interval(hours => $1::integer)
