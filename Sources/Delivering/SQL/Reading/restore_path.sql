-- A function's names are looked up where its own role looks them up.
set local search_path to default
