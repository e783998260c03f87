-- Calls the function for each change, in order. Counting the results has the server make each call, however the function is
-- declared.
--
-- All names are whole: they are looked up where the function's role looks names up.
--
-- $1 text  the changes, a JSON array
select pg_catalog.count(x.called)
from (
    select {function}(r.change) as called
    from (
        select pg_catalog.jsonb_populate_record(null::counterfoil.change, j.element) as change
        from pg_catalog.jsonb_array_elements($1::pg_catalog.text::pg_catalog.jsonb) with ordinality as j (element, place)
        order by j.place
    ) r
    offset 0
) x
