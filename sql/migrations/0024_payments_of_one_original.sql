-- Which transactions of one original are one payment, told in one place: restores repeat a purchase under new ids, and what is
-- bought again after a refund may do so too, and is a payment of its own.

set local role counterfoil_owner;

-- Null where a former program recorded it: then it takes back the last payment before it.
alter table counterfoil.revocations add column purchased_at timestamptz;

create table counterfoil.restored_transactions (
    like counterfoil.unclaimed_transactions including defaults,
    grant_id bigint not null constraint restored_transaction_belongs_to_a_grant references counterfoil.grants (id),
    primary key (bundle_id, original_transaction_id, transaction_id, environment)
);
comment on table counterfoil.restored_transactions is
    'Transactions that repeat a granted purchase under another id and at another date. A refund that comes to light may tell that '
    'they were bought apart: such a one becomes unclaimed.';
-- Serves transaction_status, find_grant.sql.
create index restored_transactions_by_id on counterfoil.restored_transactions (bundle_id, transaction_id, environment);
grant select, insert, delete on counterfoil.restored_transactions to counterfoil_worker;

comment on function counterfoil.unclaimed_of_payment(text, text, text, text) is 'Private: for workers of a former version.';
