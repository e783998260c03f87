-- Makes the settings of our roles that are missing or differ, as the role that migrates. The rows are the roles whose settings
-- could not be made.
select m.refused from counterfoil.make_role_settings() m order by m.refused
