-- What became of the orders of each product in the last seven days. It counts events: a refund of today may belong to
-- an order of last year.

create or replace view counterfoil.product_funnel as
select
    h.bundle_id, h.product_id,
    -- A sum of integers is a bigint, one of bigints a numeric, which takes four times as long.
    sum(h.ordered::integer) as ordered, sum(h.judged::integer) as judged, sum(h.fulfilled::integer) as fulfilled,
    sum(h.rejected::integer) as rejected, sum(h.reviewed::integer) as reviewed, sum(h.refunded::integer) as refunded,
    round(100.0 * sum(h.fulfilled::integer) / nullif(sum(h.ordered::integer), 0), 1)::double precision
        as fulfilled_percent
from counterfoil.product_hours h
where h.hour >= date_trunc('hour', now() - interval '7 days')
group by h.bundle_id, h.product_id;
comment on view counterfoil.product_funnel is
    'Each product''s orders, judged proofs, and grants, rejections, reviews and refunds of the last 7 days.';

alter view counterfoil.product_funnel owner to counterfoil_owner;
grant select on counterfoil.product_funnel to counterfoil_worker, counterfoil_support, counterfoil_reader;
