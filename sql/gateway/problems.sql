-- The gateway's answer where a statement breaks a rule: the problem's name, mostly the rule's, and the status. A rule of a routine
-- is in rules, that of a table is its constraint. A test finds each that has no row here.

create or replace view counterfoil.problems as
select p.rule, coalesce(p.name, p.rule) as name, p.status
from (
    values
        ('order_ids_are_unique', 'order_differs', 409),
        ('account_id_has_1_to_200_characters', null::text, 400),
        ('order_id_has_1_to_200_characters', null, 400),
        ('ordered_product_id_has_1_to_200_characters', null, 400),
        ('quantity_is_1_to_10', null, 400),
        ('order_names_a_known_app', null, 400),
        ('job_names_a_known_order', 'order_unknown', 404),
        ('event_names_a_known_order', 'order_unknown', 404),
        ('job_belongs_to_the_orders_account', null, 409),
        ('paid_orders_are_not_cancelled', null, 409),
        ('account_was_moved', null, 409),
        ('why_has_1_to_1000_characters', null, 400),
        ('at_most_20_pending_jobs_an_order', null, 429),
        ('at_most_32_mib_of_pending_proofs_an_order', null, 429),
        ('hinted_transaction_id_has_1_to_64_characters', null, 400),
        ('proof_has_1_byte_to_4_mib', null, 413),
        ('page_has_1_to_1000_orders', null, 400),
        ('page_begins_at_an_order_of_the_account', null, 400),
        ('page_has_1_to_10000_changes', null, 400),
        ('changes_begin_at_a_time', null, 400),
        ('cursor_unknown', null, 410),
        ('changes_are_read_from_the_primary', 'not_primary', 503),
        ('restored_changes_need_a_migration', null, 503),
        ('notification_has_at_most_256_kib', null, 413),
        ('at_most_2000_unverified_notifications', null, 503)
) p (rule, name, status)
union all
-- No request can break these: a bug of ours.
select i.rule, 'internal_error', 500
from unnest(array[
    'a_row_of_changes_has_1_to_100_orders', 'absent_token_policy_is_known', 'accepted_credentials_have_a_time',
    'access_environment_is_known', 'access_ownership_is_known', 'additional_reason_is_known',
    'advanced_commerce_is_true_or_null', 'apps_pkey', 'attempt_hours_pkey', 'attempt_minutes_pkey', 'awaited_renewals_pkey',
    'awaiting_order_is_known', 'budget_environment_is_known', 'budget_is_positive', 'budget_names_a_known_app',
    'budgeted_endpoint_is_known', 'budgets_pkey', 'bundle_id_has_1_to_155_characters', 'catch_up_environment_is_known',
    'catch_up_names_a_known_app', 'catch_ups_pkey', 'closed_gates_say_who_closed_them', 'closed_orders_say_why',
    'closer_is_known', 'confirm_after_is_not_negative', 'consumption_requests_pkey', 'credential_digest_has_32_bytes',
    'credential_refusals_pkey', 'definitions_pkey', 'discarded_jobs_say_why', 'disposition_is_known', 'erasures_pkey',
    'answered_questions_are_known', 'answers_come_before_apple_decides', 'answers_come_before_the_deadline',
    'answers_name_a_delivery_status', 'answers_need_the_customers_consent', 'answers_say_what_was_delivered',
    'app_refund_preference_is_known', 'consumed_share_is_a_part', 'consumption_answer_state_is_known',
    'consumption_answers_pkey', 'delivery_status_is_known', 'ended_answers_say_when',
    'periods_have_no_consumed_share', 'prorated_refunds_need_a_consumed_share', 'questions_are_answered_once',
    'refund_preference_is_known', 'why_of_an_answer_has_1_to_1000_characters',
    'every_bucket_is_counted', 'feed_pkey', 'follow_ups_name_a_transaction', 'forgotten_accounts_are_known',
    'forgotten_accounts_have_no_jobs', 'forgotten_accounts_stay_so', 'former_credential_digest_has_32_bytes',
    'former_credential_names_a_known_gate', 'former_credentials_pkey', 'found_credential_digest_has_32_bytes',
    'fulfilled_orders_say_when', 'gate_environment_is_known', 'gate_names_a_known_app', 'gate_state_is_known', 'gates_pkey',
    'granted_payments_are_known', 'granted_payments_name_their_order', 'imports_pkey', 'index_makers_pkey',
    'job_kind_is_known', 'job_state_is_known', 'jobs_have_an_order_or_a_notification', 'jobs_pkey', 'key_digests_are_unique',
    'key_hash_has_32_bytes', 'key_name_has_1_to_100_characters', 'key_names_an_app', 'key_prefixes_are_unique',
    'key_scopes_are_known', 'latency_hours_pkey', 'latency_minutes_pkey', 'measure_is_known', 'migrations_pkey',
    'minutes_are_counted_before_they_are_final', 'moved_accounts_are_others', 'moved_accounts_have_orders',
    'moved_accounts_pkey', 'moved_orders_pkey', 'moves_are_as_previewed', 'moves_lead_elsewhere', 'moves_make_no_circle',
    'moves_pkey', 'notification_environment_is_known', 'notification_outcome_is_known', 'notification_source_is_known',
    'notification_subtype_has_1_to_100_characters', 'notification_type_has_1_to_100_characters', 'notifications_pkey',
    'notified_bundle_id_has_1_to_155_characters', 'numbers_have_ended', 'one_access_a_transaction', 'one_end_a_period',
    'one_entry_a_revocation', 'one_gate_a_lane', 'one_grant_a_transaction_id', 'one_lock_an_original',
    'one_row_a_subscription', 'one_row_an_answer', 'one_session_makes_indexes', 'one_telling_a_payment',
    'one_telling_a_subscription', 'only_routes_to_apple_have_an_environment', 'order_environment_is_known',
    'order_event_kind_is_known', 'order_events_pkey', 'order_numbers_are_unique', 'order_state_is_known',
    'orders_in_review_pkey', 'own_order_window_is_not_negative', 'paid_kind_is_known', 'paid_orders_name_their_transaction',
    'paid_quantity_is_positive', 'payload_hash_has_32_bytes', 'payment_environment_is_known', 'payment_key_names_its_kind',
    'priority_is_0_to_3', 'privileges_pkey', 'processed_notifications_have_an_outcome', 'product_hours_pkey',
    'product_id_has_1_to_200_characters', 'product_kind_is_known', 'product_minutes_pkey', 'product_names_a_known_app',
    'products_pkey', 'proof_hash_has_32_bytes', 'proof_names_a_known_order', 'proofs_are_of_jobs_that_verify', 'proofs_pkey',
    'purchase_reason_is_known', 'purchase_time_tolerance_is_not_negative', 'receipt_route_is_known',
    'refusal_names_a_known_gate', 'refused_credential_digest_has_32_bytes', 'refused_notification_names_a_known_app',
    'refused_notifications_pkey', 'refused_proof_hash_has_32_bytes', 'reversals_have_no_share', 'reviewed_order_is_known',
    'revocation_environment_is_known', 'revocation_kind_is_known', 'revocation_names_a_known_app', 'revocations_pkey',
    'revoked_keys_say_by_whom', 'revoked_share_is_a_part', 'roll_up_marks_pkey', 'route_is_known',
    'running_jobs_hold_a_lease', 'sandbox_account_names_a_known_app', 'sandbox_accounts_pkey', 'sandbox_policy_is_known',
    'signed_price_names_its_currency', 'suspicion_minutes_pkey', 'the_ledger_is_append_only', 'there_is_one_feed',
    'there_is_one_mark', 'told_name_is_known', 'transferred_orders_are_known', 'transferred_orders_are_paid',
    'unfound_credential_digest_has_32_bytes', 'unfound_payment_names_a_known_gate', 'unfound_payments_pkey',
    'ungranted_payments_say_why', 'unreadable_notifications_pkey', 'webhook_act_is_known', 'webhook_act_names_an_endpoint',
    'webhook_endpoints_pkey', 'webhook_event_names_an_endpoint', 'webhook_events_pkey', 'webhook_in_flight_is_1_to_100',
    'webhook_is_off_for_a_known_cause', 'webhook_name_is_lower_case_letters_digits_hyphens', 'webhook_names_a_kind',
    'webhook_names_an_app', 'webhook_names_are_unique', 'webhook_rate_is_1_to_1000', 'webhook_url_is_https',
    'webhook_why_has_1_to_1000_characters', 'webhooks_that_are_off_say_why', 'why_of_a_move_has_1_to_1000_characters',
    'why_of_an_erasure_has_1_to_1000_characters', 'workers_pkey'
]) i (rule);
comment on view counterfoil.problems is 'Private: the problem that the gateway answers with where a rule is broken, by rule.';

grant select on counterfoil.problems to counterfoil_gateway, counterfoil_support;
