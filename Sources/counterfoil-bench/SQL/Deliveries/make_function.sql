-- The function that deliverers call: it notes the call, does its harm to one order of eight, and has the documents' function
-- deliver. By the shop's role.
--
-- All accounts share seven balances: the changes of a page meet in them.
create or replace function shop.deliver(c counterfoil.change) returns void
language plpgsql
as $$
declare
    harm constant text := (select h.kind from shop.harm h);
    number constant integer := hashtext(coalesce(c.order_id, c.transaction_id, '')) & 1023;
    -- One code of each class of errors, and two that come at the commit or end the session.
    codes constant text[] := '{
        08001,0A000,21000,22012,23503,25006,26000,28000,2F005,34000,3D000,3F000,40001,40P01,42501,42P01,53100,54001,55P03,57014,
        57P01,58030,F0000,HV000,P0001,XX000,ZCU01,at commit,terminate}';
    code text;
begin
    insert into shop.calls (id, order_id, changed_at) values (c.id, c.order_id, c.at);
    if harm = 'raises' and number % 8 = 0 then
        code := codes[1 + number / 8 % cardinality(codes)];
        case code
            when 'at commit' then insert into shop.late values ('nobody');
            when 'terminate' then perform pg_terminate_backend(pg_backend_pid()), pg_sleep(5);
            else raise exception 'harm' using errcode = code;
        end case;
    elsif harm = 'sleeps' and number % 8 = 0 then
        -- A sleep of an hour is ended by the deliverer's time-out.
        perform pg_sleep(case when number % 64 = 0 then 3600 else 0.2 end);
    end if;
    c.account_id := 'account ' || abs(hashtext(c.account_id)) % 7;
    perform shop.on_change(c);
end
$$;
