-- How many notifications came by Apple's history.
select count(*) from counterfoil.notifications n where n.source = 'history'
