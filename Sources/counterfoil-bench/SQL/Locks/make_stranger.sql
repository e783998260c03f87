-- A role that may connect, as every role of the server may, and nothing else.
create role stranger login
