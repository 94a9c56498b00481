export type Values = Record<string, unknown>

/** Where one setting was read: `at('cache_params.ttl')` → `config.yaml:14`. */
export type At = (path: string) => string

/** How a value was kept where it was read: what the report says of a secret. */
export type Kept = 'written in clear in the file' | 'in clear in the database' | 'encrypted in the database'

/** `kept('api_key')`; absent: everything is from a file. */
export type HowKept = (key: string) => Kept

/** One deployment of `model_list`, or a row of `LiteLLM_ProxyModelTable`. */
export interface SourceModel {
  name: string
  params: Values
  info: Values
  /** What it has beside `model_name`, `litellm_params` and `model_info`. */
  rest: Values
  /** `model_list[2]` */
  path: string
  source: string
  /** `at('litellm_params.api_key')` */
  at: At
  kept?: HowKept
}

/** One entry of `credential_list`, or a row of `LiteLLM_CredentialsTable`. */
export interface SourceCredential {
  name: string
  values: Values
  rest: Values
  path: string
  source: string
  at: At
  kept?: HowKept
}

export interface SourceSection {
  values: Values
  /** `router_settings`; empty for what is at the top of the file. */
  path: string
  at: At
  kept?: HowKept
}

/** What was read, before it is mapped. The database adds its models and credentials, and its settings over the file's. */
export interface LitellmSource {
  models: SourceModel[]
  credentials: SourceCredential[]
  general: SourceSection
  router: SourceSection
  litellm: SourceSection
  environment: SourceSection
  /** Everything else at the top of the file. */
  rest: SourceSection
}
