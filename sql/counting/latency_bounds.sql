-- The bounds of the latency histograms, in seconds: 1, 2, 5 and so on from 10 ms to 11 days, past the horizon of retries.

create or replace function counterfoil.latency_bounds() returns double precision[]
language sql immutable parallel safe
begin atomic
    select array[
        0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000,
        100000, 200000, 500000, 1000000
    ]::double precision[];
end;
comment on function counterfoil.latency_bounds() is
    'Seconds; bucket n of a latency roll-up lies between bound n and bound n + 1.';

grant execute on function counterfoil.latency_bounds() to counterfoil_worker, counterfoil_support, counterfoil_reader;
