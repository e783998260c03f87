-- An order to poll, and its account.
select o.order_id, o.account_id from counterfoil.orders o where o.state = 'fulfilled' order by random() limit 1
