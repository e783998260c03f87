-- Makes the changes of a restored database readable: true if they were of another server.
select counterfoil.adopt_changes()
