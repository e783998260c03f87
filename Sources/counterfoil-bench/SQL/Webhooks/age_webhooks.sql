-- As if all that was read so far had been read ten minutes earlier: the times that the cursors bear (told_after).
update counterfoil.webhook_endpoints e
set cursor = (
    select concat(m.part[1], m.part[2]::bigint - 600000000, ',', m.part[3]::bigint - 600000000, ',', m.part[4])
    from regexp_match(e.cursor, '^(.*/)([0-9]+),([0-9]+),([0-9]+[.])$') as m (part)
)
where e.cursor ~ '/[0-9]+,[0-9]+,[0-9]+[.]$'
