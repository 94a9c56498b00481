import { approximate, exact, manual, unsupported, type Verdict } from './notes.ts'

export type Verdicts = Readonly<Record<string, Verdict>>

function all(keys: readonly string[], verdict: Verdict): Verdicts {
  return Object.fromEntries(keys.map((key) => [key, verdict]))
}

const NOT_NEEDED = exact(null, 'not needed here')
const NO_COUNTERPART = unsupported('has no counterpart')
const RESTRICTS = unsupported('has no counterpart, so calls that it refused are served', 'looser')
const CIRCUITS = approximate(
  null,
  'here five failures in a row rest an entry for 30 s, and the last usable one is always tried',
)
const ERRORS = approximate(null, 'which errors are retried is fixed here, see docs/errors.md')
const REDIS = exact(null, 'not copied: several gateways share counters with REDIS_URL, see docs/scaling.md')
const NEW_KEYS = manual('new keys have no defaults or ceilings here: set limits when you create them', 'looser')
const HOOK = 'has no counterpart; a workspace can have a guardrail hook, see docs/guardrails.md'

export const ROUTER: Verdicts = {
  allowed_fails: CIRCUITS,
  cooldown_time: approximate(
    null,
    'LiteLLM rests a deployment for this time (5 s by default); here five failures in a row rest it for 30 s',
  ),
  allowed_fails_policy: CIRCUITS,
  disable_cooldowns: CIRCUITS,
  retry_policy: ERRORS,
  model_group_retry_policy: ERRORS,
  retry_after: ERRORS,
  enable_weighted_failover: ERRORS,
  enable_pre_call_checks: exact(null, 'prompts that are too long are always noticed'),
  routing_strategy_args: NO_COUNTERPART,
  routing_groups: approximate(null, 'all routes have the strategy of routing_strategy: set balance on a route instead'),
  enable_tag_filtering: unsupported('calls are not routed by tags: make one alias for each tag'),
  provider_budget_config: unsupported('providers have no budgets here; set one on a key or workspace', 'looser'),
  default_max_parallel_requests: unsupported('the gateway does not limit calls of a deployment', 'looser'),
  ...all(['default_priority', 'plugins', 'caching_groups'], NO_COUNTERPART),
  ...all(['redis_url', 'redis_host', 'redis_port', 'redis_password', 'redis_db', 'redis_ssl', 'cache_kwargs'], REDIS),
  ...all(['client_ttl', 'polling_interval', 'set_verbose', 'debug_level', 'ignore_invalid_deployments'], NOT_NEEDED),
  ...all(['cache_responses'], NO_COUNTERPART),
}

export const LITELLM: Verdicts = {
  drop_params: approximate(
    null,
    'fields that are only hints are always left out, and named; what would change the answer is refused',
    'tighter',
  ),
  allowed_fails: CIRCUITS,
  turn_off_message_logging: exact(null, 'prompts and answers are not stored unless a workspace switches it on'),
  max_end_user_budget: unsupported('end users have no budgets here', 'looser'),
  max_end_user_budget_id: unsupported('end users have no budgets here', 'looser'),
  tag_budget_config: unsupported('tags have no budgets here', 'looser'),
  cost_discount_config: unsupported('put the price into the registry instead'),
  cost_margin_config: unsupported('put the price into the registry instead'),
  guardrails: unsupported(HOOK, 'looser'),
  post_call_rules: unsupported(HOOK, 'looser'),
  ...all(['default_key_generate_params', 'upperbound_key_generate_params', 'default_team_params'], NEW_KEYS),
  ...all(
    ['default_team_settings', 'default_internal_user_params', 'max_internal_user_budget', 'key_generation_settings'],
    NEW_KEYS,
  ),
  ...all(
    ['custom_provider_map', 'mcp_aliases', 'prompt_directory', 'global_prompt_directory', 'global_gitlab_config'],
    NO_COUNTERPART,
  ),
  ...all(
    ['set_verbose', 'json_logs', 'telemetry', 'force_ipv4', 'store_audit_logs', 'langfuse_default_tags'],
    NOT_NEEDED,
  ),
  ...all(
    ['redact_messages_in_exceptions', 'redact_user_api_key_info', 'enable_preview_features', 'default_redis_ttl'],
    NOT_NEEDED,
  ),
  ...all(['modify_params', 'add_function_to_prompt', 'enable_json_schema_validation'], NO_COUNTERPART),
  ...all(
    ['always_include_stream_usage'],
    approximate(null, 'callers get the usage of a stream where they ask for it', 'same'),
  ),
}

const AUTHENTICATION = unsupported('has no counterpart: callers need a gateway key', 'tighter')

export const GENERAL: Verdicts = {
  database_url: manual('keys, teams and budgets are in the database: import it with --database'),
  database_connection_pool_limit: NOT_NEEDED,
  store_model_in_db: manual('models may be in the database: import it with --database'),
  store_prompts_in_spend_logs: manual(
    'content is stored where a workspace says so, and needs SECRETS_KEY: see docs/content.md',
  ),
  alert_types: approximate(null, 'the rules for alerts differ, see docs/alerts.md'),
  alerting_threshold: approximate(null, 'the rules for alerts differ, see docs/alerts.md'),
  alerting_args: approximate(null, 'the rules for alerts differ, see docs/alerts.md'),
  alert_to_webhook_url: manual('make one alert channel for each address, see docs/alerts.md'),
  spend_report_frequency: unsupported('there are no reports by message; see switchyard usage'),
  key_management_system: manual('secrets are not read from a vault: export the variables that are named below'),
  key_management_settings: manual('secrets are not read from a vault: export the variables that are named below'),
  completion_model: unsupported('callers must send a model'),
  infer_model_from_keys: NO_COUNTERPART,
  ...all(['enforce_user_param', 'enforced_params', 'allowed_ips', 'allowed_routes', 'custom_auth'], RESTRICTS),
  ...all(['reject_clientside_metadata_tags', 'apply_user_budget_to_team_keys', 'custom_key_generate'], RESTRICTS),
  ...all(
    ['enable_jwt_auth', 'litellm_jwtauth', 'enable_oauth2_auth', 'public_routes', 'litellm_key_header_name'],
    AUTHENTICATION,
  ),
  ...all(['pass_through_endpoints', 'forward_client_headers_to_llm_api', 'user_header_name'], NO_COUNTERPART),
  ...all(
    ['background_health_checks', 'use_redis_transaction_buffer', 'litellm_license', 'otel', 'health_check_interval'],
    NOT_NEEDED,
  ),
}

/** Names that only begin alike. */
export const GENERAL_PREFIXES: readonly (readonly [RegExp, Verdict])[] = [
  [/^(health_check|proxy_batch|proxy_budget_rescheduler|disable|ui|database_connection)_/, NOT_NEEDED],
]

export const REST: Verdicts = {
  include: exact(null, 'the included files were read'),
  guardrails: unsupported(HOOK, 'looser'),
  ...all(
    ['mcp_servers', 'vector_store_registry', 'prompts', 'search_tools', 'policies', 'agents', 'assistant_settings'],
    NO_COUNTERPART,
  ),
  ...all(
    ['files_settings', 'finetune_settings', 'default_vertex_config', 'sandbox_tools', 'coordination_redis'],
    NO_COUNTERPART,
  ),
}
