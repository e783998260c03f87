-- Whether the queue holds a job.
select exists (select from counterfoil.jobs)
