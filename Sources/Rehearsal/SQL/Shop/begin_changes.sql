-- A cursor of the feed that begins now.
select counterfoil.changes_from('infinity')
