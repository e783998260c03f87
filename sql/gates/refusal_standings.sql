-- Private: what each refusal of a lane's secret or key says, in the light of what Apple accepted since.

create or replace view counterfoil.refusal_standings as
select
    r.lane, r.order_id, r.credential_digest, r.proof_hash, r.needs_credential, r.is_of_proof, r.first_refused_at, r.refused_at,
    -- The longest time between two attempts at such an order is shorter: an older refusal is of an order that came to an end.
    r.refused_at > now() - interval '8 hours' as is_recent,
    -- Apple accepted the credential in no call that began since: it may be at fault.
    r.refused_at > coalesce(g.credential_accepted_at, '-infinity') as is_last_word,
    -- Since then Apple has refused the credential and accepted it for no proof, if this is its last word.
    greatest(r.first_refused_at, g.credential_accepted_at) as stands_since,
    -- Apple accepted it in a call that began since, for a proof that needs it if this one does: this proof is at fault.
    coalesce(
        r.refused_at < case when r.needs_credential then g.needed_credential_accepted_at else g.credential_accepted_at end, false
    ) as is_accepted_since
from counterfoil.credential_refusals r
join counterfoil.gates g on g.lane = r.lane;
comment on view counterfoil.refusal_standings is 'Private: what each refusal of a lane''s secret or key says, in the light of what Apple accepted since.';

alter view counterfoil.refusal_standings owner to counterfoil_owner;
grant select on counterfoil.refusal_standings to counterfoil_worker, counterfoil_support;
