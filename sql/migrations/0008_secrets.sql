-- Whether Apple refuses a secret or key for all proofs of a lane, or for some only.

set local role counterfoil_owner;

-- Workers write them only after a refusal, and once when a worker starts.
alter table counterfoil.gates
    -- SHA-256 of the app's name and of the secret or key that Apple accepted last. Apple's secrets are 32 random hexadecimal digits
    -- and its keys 256 random bits: nobody finds one by trying.
    add column credential_digest bytea
        constraint credential_digest_has_32_bytes check (octet_length(credential_digest) = 32),
    -- When a call began that Apple accepted it for, and one about a proof that needs it: a receipt with a subscription, or a call
    -- to the App Store Server API.
    add column credential_accepted_at timestamptz,
    add column needed_credential_accepted_at timestamptz,
    -- The same digest of the key by which Apple found a transaction last. A key of another Apple account is accepted, and finds
    -- nothing.
    add column found_credential_digest bytea
        constraint found_credential_digest_has_32_bytes check (octet_length(found_credential_digest) = 32),
    add constraint accepted_credentials_have_a_time check ((credential_digest is null) = (credential_accepted_at is null));
grant update (credential_digest, credential_accepted_at, needed_credential_accepted_at, found_credential_digest)
    on counterfoil.gates to counterfoil_worker, counterfoil_support;

create table counterfoil.credential_refusals (
    lane integer not null constraint refusal_names_a_known_gate references counterfoil.gates (lane),
    -- No foreign key: a refusal must not wait for whoever has locked the order.
    order_id text collate "C" not null,
    credential_digest bytea not null
        constraint refused_credential_digest_has_32_bytes check (octet_length(credential_digest) = 32),
    -- SHA-256 of the proof.
    proof_hash bytea not null constraint refused_proof_hash_has_32_bytes check (octet_length(proof_hash) = 32),
    -- Whether Apple needs the credential for this proof. Of a receipt without a subscription it may not look at it.
    needs_credential boolean not null,
    -- Whether Apple accepted the credential for another proof between two refusals: they say nothing about the credential.
    is_of_proof boolean not null default false,
    first_refused_at timestamptz not null default now(),
    refused_at timestamptz not null default now(),
    primary key (lane, order_id)
);
comment on table counterfoil.credential_refusals is
    'The orders for whose proof Apple refused a lane''s secret or key; removed when Apple accepts it for them, or after 30 days.';
grant select, insert, update, delete on counterfoil.credential_refusals to counterfoil_worker, counterfoil_support;

create table counterfoil.unfound_payments (
    lane integer not null constraint unfound_payment_names_a_known_gate references counterfoil.gates (lane),
    account_id text collate "C" not null,
    -- Apple signed it: a worker verified the signature.
    transaction_id text collate "C" not null,
    credential_digest bytea not null
        constraint unfound_credential_digest_has_32_bytes check (octet_length(credential_digest) = 32),
    first_asked_at timestamptz not null default now(),
    asked_at timestamptz not null default now(),
    primary key (lane, account_id)
);
comment on table counterfoil.unfound_payments is
    'The accounts whose payments Apple signed and doesn''t know, by a key that has found nothing yet; removed when it finds one, or '
    'after 30 days.';
grant select, insert, update, delete on counterfoil.unfound_payments to counterfoil_worker, counterfoil_support;
