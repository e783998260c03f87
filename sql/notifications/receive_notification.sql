-- Takes a notification of Apple's: the body of the request, or the signed text in it. It is verified later, by a job of the app's
-- lane "local". Safe to repeat. Answers:
--
-- - stored: it is new;
-- - known: it was taken before;
-- - unknown_app: it is kept until the app is added;
-- - being_stored: another call stores the same text, and isn't committed yet. Nobody waits for it: Apple sends the text again;
-- - unreadable, with its kind: it is no notification in Apple's form. Nothing is kept but a count (unreadable_notifications),
--   which an error would take back:
--   - unreadable: version_1, of Apple's older form, which isn't signed;
--   - unreadable: wrapped, in a form that has more than one meaning (signed_text_in), or decoded;
--   - unreadable: no_notification, another signed text of Apple's, such as a transaction;
--   - unreadable: another_store, such as Xcode's;
--   - unreadable: damaged, all else.
--
-- Refused, each by the rule that is named (rules); nothing is kept then:
--
-- - more than 256 KiB (notification_has_at_most_256_kib);
-- - one more than 2,000 that wait to be verified, of one app or of all unknown ones (at_most_2000_unverified_notifications): Apple
--   sends it again after an answer of 503. What Apple didn't sign goes once it is verified, within a second or so; of unknown apps
--   nothing is verified, and what is eight days old goes (prune_notifications). Once such an app is added, Apple's history has all
--   of it. What was verified before (store_notification) is taken beyond that number.
--
-- No signature is looked at here: what the text says of itself finds its lane, and nothing else follows from it.

create or replace function counterfoil.receive_notification(payload text) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
    return counterfoil.store_notification(receive_notification.payload, 'push');
end
$$;
comment on function counterfoil.receive_notification(text) is
    'Takes the body of a notification of Apple''s, to be verified by a job. Answers stored, known, unknown_app, being_stored or '
    'unreadable with its kind. Safe to repeat.';

grant execute on function counterfoil.receive_notification(text)
    to counterfoil_backend, counterfoil_worker, counterfoil_support;
