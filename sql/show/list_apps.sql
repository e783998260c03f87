-- The apps, and by which of Apple's services their proofs are verified.
select
    a.bundle_id,
    a.receipt_route = 'verify_receipt' as asks_verify_receipt,
    a.receipt_route = 'local_then_api' or a.confirm_after is not null or a.finish_transactions as asks_server_api
from counterfoil.apps a
order by a.bundle_id
