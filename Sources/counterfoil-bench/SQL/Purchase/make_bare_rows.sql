-- The yardstick's table: one key, and nothing else.
create table if not exists public.bare_rows (id text primary key, account_id text not null)
