-- A cursor of the feed before all that is kept.
select counterfoil.changes_from('-infinity')
