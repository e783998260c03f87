-- Private: the orders that a person has to decide about. An order in review is none where another order of its account has its
-- payment.

create or replace view counterfoil.open_reviews as
select o.order_id, o.bundle_id, o.product_id, o.account_id, o.state, o.reason, o.attempts, o.number
from counterfoil.orders o
where o.state = 'review'
    and (
        select true
        from counterfoil.payment_answers p
        where p.transaction_id = o.transaction_id and p.bundle_id = o.bundle_id
            -- account_now, written out.
            and p.paid_account_id = (
                select coalesce(
                    (select m.account_now from counterfoil.moved_accounts m where m.account_id = a.account_id), a.account_id)
                from (
                    select coalesce(
                        (select t.account_id from counterfoil.moved_orders t where t.order_number = o.number), o.account_id
                    ) as account_id
                ) a
            )
            and (o.environment is null or p.environment = o.environment) and p.paid_order_number <> o.number
        limit 1
    ) is null;
comment on view counterfoil.open_reviews is 'Private: the orders that a person has to decide about.';

alter view counterfoil.open_reviews owner to counterfoil_owner;
grant select on counterfoil.open_reviews to counterfoil_worker, counterfoil_support;
