-- What still moves: jobs that are available or running.
select count(*) from counterfoil.jobs j where j.state <> 'discarded'
