-- Whether a job of those orders is left.
select exists (select from counterfoil.jobs j where j.order_id like 'churned-%')
