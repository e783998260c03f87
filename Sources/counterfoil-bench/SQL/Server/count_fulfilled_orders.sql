-- Orders that are fulfilled for anybody to see.
select count(*) from counterfoil.orders o where o.state = 'fulfilled'
