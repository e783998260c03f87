-- Ends the call of a claimed event.
--
-- $1 int4  endpoint       $4 text    result                            $7 bool    no try follows
-- $2 text  event id       $5 text    error, or null                    $8 float8  seconds for which the endpoint pauses
-- $3 int4  lease token    $6 float8  seconds until the next try
select counterfoil.settle_webhook(
    $1::integer, $2::text, $3::integer, $4::text, $5::text, $6::double precision, $7::boolean, $8::double precision) as became
