-- A settlement that falls silent, because its worker froze or the network between swallows what is sent, is at an end
-- after ten seconds.
--
-- It holds its orders' rows until then, so that no other proof of theirs is settled: no longer than the shortest lease,
-- after which others take its jobs over. A settlement that goes on sends its next statement within milliseconds.
do $$
begin
    execute format(
        'alter role counterfoil_worker in database %I set idle_in_transaction_session_timeout = ''10s''', current_database());
end
$$;
