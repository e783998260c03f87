-- Tells who listens that the feed may have something new. A hint only.
notify counterfoil_changes
