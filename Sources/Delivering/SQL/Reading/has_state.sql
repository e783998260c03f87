-- Whether the state has its row; somebody may have emptied the table.
select exists (select from {state}) as has_state
