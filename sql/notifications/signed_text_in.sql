-- The signed text in what a backend passed on as a notification; null where there is none, or more than one.
--
-- Its wrappings are taken off, as those of proofs are (ProofReader): white space and invisible characters; an object of JSON, whose
-- signedPayload counts, else the only signed text in it; a string of JSON, a quotation, Optional(…); base64, hex, percent encoding,
-- a form's field, character references, escapes. In the text, padding and the other alphabet of base64. No signature is looked at.
create or replace function counterfoil.signed_text_in(payload text) returns text
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
declare
    most_layers constant integer := 6;
    signed_form constant text := '^[A-Za-z0-9_-]+[.][A-Za-z0-9_-]+[.][A-Za-z0-9_-]+$';
    invisible constant text := '[\u00ad\u00a0\u2007\u200b-\u200f\u2028\u2029\u202f\u2060\ufeff]';
    inner_text text := signed_text_in.payload;
    mended text;
    document jsonb;
    found text[];
begin
    for layer in 1..most_layers loop
        inner_text := btrim(regexp_replace(inner_text, invisible, '', 'g'), E' \t\r\n');
        mended := regexp_replace(translate(regexp_replace(inner_text, '\s', '', 'g'), '+/', '-_'), '=+([.]|$)', '\1', 'g');
        if mended ~ signed_form then
            return mended;
        end if;
        case
            when inner_text ~ '^[[{]?\s*&(quot|#34|#x22);' then
                inner_text := replace(regexp_replace(inner_text, '&(quot|#34|#x22);', '"', 'gi'), '&amp;', '&');
            when inner_text ~ '^[[{]?\s*\\"' then
                inner_text := ('"' || replace(inner_text, E'\n', '') || '"')::jsonb #>> '{}';
            when inner_text ~ '^[[{"]' then
                document := inner_text::jsonb;
                if jsonb_typeof(document) = 'string' then
                    inner_text := document #>> '{}';
                elsif jsonb_typeof(document -> 'signedPayload') = 'string' then
                    inner_text := document ->> 'signedPayload';
                elsif document ? 'notificationType' then
                    -- Decoded: what is in it is signed by itself, and is no notification.
                    return null;
                else
                    select array_agg(distinct s.value) into found
                    from (
                        select q.value #>> '{}' as value from jsonb_path_query(document, 'strict $.**') as q (value)
                        where jsonb_typeof(q.value) = 'string'
                    ) s
                    where s.value ~ signed_form or s.value ~ '^\s*[{]';
                    if cardinality(found) is distinct from 1 then
                        return null;
                    end if;
                    inner_text := found[1];
                end if;
            when inner_text ~ '^Optional[(].*[)]$' then
                inner_text := substr(inner_text, 10, length(inner_text) - 10);
            when inner_text ~ '^b?(''.*''|".*")$' then
                inner_text := regexp_replace(inner_text, '^b?.(.*).$', '\1');
            when inner_text ~ '^signedPayload=' then
                inner_text := substr(inner_text, 15);
            when inner_text ~ '%[0-9A-Fa-f]{2}' then
                inner_text := convert_from(
                    (
                        select string_agg(
                            case when m.part[1] ~ '^%[0-9A-Fa-f]{2}$' then decode(substr(m.part[1], 2), 'hex')
                                else convert_to(m.part[1], 'UTF8') end, '' order by m.place
                        )
                        from regexp_matches(inner_text, '(%[0-9A-Fa-f]{2}|[^%]+|%)', 'g') with ordinality as m (part, place)
                    ), 'UTF8');
            when inner_text ~ '^([0-9A-Fa-f]{2})+$' then
                inner_text := convert_from(decode(inner_text, 'hex'), 'UTF8');
            when mended ~ '^[A-Za-z0-9_-]+$' then
                inner_text := convert_from(
                    decode(
                        translate(mended, '-_', '+/') || repeat('=', (4 - length(mended) % 4) % 4), 'base64'), 'UTF8');
            else
                return null;
        end case;
    end loop;
    return null;
exception when data_exception or program_limit_exceeded then
    return null;
end
$$;
comment on function counterfoil.signed_text_in(text) is 'Private: the signed text in what was passed on as a notification.';
