-- A partition of attempts for each month of the hundred days before this one, which the bench fills.
do $$
declare
    month timestamp;
begin
    for month in
        select generate_series(
            date_trunc('month', now() at time zone 'UTC' - interval '100 days'),
            date_trunc('month', now() at time zone 'UTC') - interval '1 month', interval '1 month'
        )
    loop
        execute format(
            'create table counterfoil.%I partition of counterfoil.other_attempts for values from (%L) to (%L)',
            'other_attempts_' || to_char(month, 'YYYY_MM'), month at time zone 'UTC', (month + interval '1 month') at time zone 'UTC'
        );
    end loop;
end
$$
