-- In place of a statement without rows.
do $$ begin end $$
