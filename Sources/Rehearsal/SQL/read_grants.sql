-- The whole ledger.
select g.bundle_id, g.environment, g.transaction_id, g.order_id, g.quantity from counterfoil.grants g
