-- A moved account that leads to one which was moved itself, or of which no row says who moved it and why.
select m.account_id, m.account_now
from counterfoil.moved_accounts m
where exists (select from counterfoil.moved_accounts n where n.account_id = m.account_now)
    or not exists (
        select from counterfoil.moves v where v.from_account = m.account_id and v.order_number is null
    )
limit 100
