-- Whether a later change was delivered already.
--
-- $1 float8  when the late one was written, in seconds since 1970
select exists (select from shop.calls c where c.changed_at > to_timestamp($1::double precision)) as has_passed
