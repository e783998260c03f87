-- What became of the orders of each product in the last seven days. It counts events: a refund of today may belong to
-- an order of last year.

create or replace view counterfoil.product_funnel as
select
    c.bundle_id, c.product_id, sum(c.ordered)::bigint as ordered, sum(c.judged)::bigint as judged,
    sum(c.fulfilled)::bigint as fulfilled, sum(c.rejected)::bigint as rejected, sum(c.reviewed)::bigint as reviewed,
    sum(c.refunded)::bigint as refunded,
    round(100 * sum(c.fulfilled) / nullif(sum(c.ordered), 0), 1)::double precision as fulfilled_percent
from (
    select h.bundle_id, h.product_id, h.ordered, h.judged, h.fulfilled, h.rejected, h.reviewed, h.refunded
    from counterfoil.product_hours h
    where h.hour >= date_trunc('hour', now() - interval '7 days')
    union all
    -- The hours that aren't over for good; a day of them at most, where workers have yet to catch up.
    select m.bundle_id, m.product_id, m.ordered, m.judged, m.fulfilled, m.rejected, m.reviewed, m.refunded
    from counterfoil.product_minutes m
    where m.minute >= (select date_trunc('hour', k.final_to, 'UTC') from counterfoil.roll_up_marks k)
        and m.minute >= now() - interval '1 day'
) c
group by c.bundle_id, c.product_id;
comment on view counterfoil.product_funnel is
    'Each product''s orders, judged proofs, and grants, rejections, reviews and refunds of the last 7 days.';

alter view counterfoil.product_funnel owner to counterfoil_owner;
grant select on counterfoil.product_funnel to counterfoil_worker, counterfoil_reader;
