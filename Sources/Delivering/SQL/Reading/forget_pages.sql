-- Drops what no reader that begins anew is told again: changes_from goes a minute back.
delete from {pages} p
using {state} s
where p.read_at < s.safe_at and p.last_at < s.safe_at - interval '5 minutes'
