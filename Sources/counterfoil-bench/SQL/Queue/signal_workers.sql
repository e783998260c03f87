-- The hint that a backend may send after its commit.
notify counterfoil_jobs
