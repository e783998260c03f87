-- Private: words of a command line, each as a shell takes it for one word; `--` comes first where one would be taken for an option.

create or replace function counterfoil.shell_words(variadic words text[]) returns text
language sql immutable parallel safe set search_path = pg_catalog, pg_temp
as $$
    select case when bool_or(w.word like '-%') then '-- ' else '' end || string_agg(
        case
            when w.word ~ '^[A-Za-z0-9._:@/+=,-]+$' then w.word
            else '''' || replace(w.word, '''', '''\''''') || ''''
        end,
        ' ' order by w.place)
    from unnest(words) with ordinality w (word, place)
$$;
comment on function counterfoil.shell_words(text[]) is 'Private: words of a command line, quoted.';
grant execute on function counterfoil.shell_words(text[]) to counterfoil_worker, counterfoil_support, counterfoil_reader;
