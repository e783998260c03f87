-- As if all that was read so far had been read ten minutes earlier. The changes themselves stay as old as they are: a reader that begins
-- anew is told those of the last minute again. A script.
begin;
update shop.reader s set safe_at = s.safe_at - interval '10 minutes';
update shop.reader_pages p set read_at = p.read_at - interval '10 minutes';
commit;
