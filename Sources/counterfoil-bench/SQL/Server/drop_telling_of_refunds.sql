-- A database that doesn't tell the feed of refunds that leave their order fulfilled.
drop trigger refunds_are_told on counterfoil.revocations
