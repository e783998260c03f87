-- How many jobs wait, and how many are leased.
select
    count(*) filter (where j.state = 'available'), count(*) filter (where j.state = 'running')
from counterfoil.jobs j
