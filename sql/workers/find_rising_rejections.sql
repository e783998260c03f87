-- The reasons for which more accounts had a proof rejected than chance explains (rejected_accounts), with the accounts of the apps
-- where that is so: of the last hour, or of the last day.
--
-- Rows: a reason and a number of accounts.
select
    r.reason, sum(case when r.rises_by_hour then r.last_hour else r.last_day end)::double precision as accounts
from counterfoil.rejected_accounts r
where r.rises_by_hour or r.rises_by_day
group by r.reason
