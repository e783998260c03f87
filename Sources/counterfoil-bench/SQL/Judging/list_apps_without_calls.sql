-- The apps whose proofs are judged by their signatures alone.
select a.bundle_id from counterfoil.apps a where a.confirm_after is null order by a.bundle_id
