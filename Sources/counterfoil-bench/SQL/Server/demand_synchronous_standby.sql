-- A commit waits until a standby has it.
alter system set synchronous_standby_names = '*'
