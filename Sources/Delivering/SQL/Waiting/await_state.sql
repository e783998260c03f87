-- Locks the state for an operator, once the deliverer has ended its database transaction.
select s.cursor from {state} s for update
