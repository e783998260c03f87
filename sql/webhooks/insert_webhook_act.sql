-- Keeps what an operator did about an endpoint.
--
-- $1 int4  endpoint    $2 text  kind    $3 text  what it is about, or null    $4 text  who    $5 text  why
insert into counterfoil.webhook_acts (endpoint, kind, about, who, why)
values ($1::integer, $2::text, $3::text, $4::text, $5::text)
