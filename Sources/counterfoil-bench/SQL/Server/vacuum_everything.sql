-- Statistics of all tables, and index ranges for what was filled in.
vacuum (analyze)
