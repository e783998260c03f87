-- Lets a check take ten minutes and write nothing, and plans it for what the tables hold, whatever the role's settings (idiom:
-- generic plan), until the end of this database transaction.
select
    set_config('transaction_read_only', 'on', true), set_config('statement_timeout', '600s', true),
    set_config('plan_cache_mode', 'auto', true), set_config('enable_bitmapscan', 'on', true), set_config('enable_seqscan', 'on', true)
