-- Counts the next minutes that are over; returns how many, 0 when none is due.
select counterfoil.roll_up()
