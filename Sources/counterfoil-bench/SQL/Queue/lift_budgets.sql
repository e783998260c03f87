-- Budgets of calls that stand in nobody's way.
update counterfoil.budgets set calls_per_second = 10000
