-- Workers never read a table whole where an index leads to what they name.
--
-- A session keeps a generic plan until a table that it reads is analysed. One that was made while the tables were empty
-- joins a batch with all orders, and goes on to do so while a young shop's first hundred thousand come in.
do $$
begin
    execute format('alter role counterfoil_worker in database %I set enable_seqscan = off', current_database());
end
$$;
