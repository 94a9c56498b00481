import type { ColumnType, Generated, Insertable, Selectable } from 'kysely'
import type { Role } from '../../domain/access.ts'
import type { AlertChannelsTable, AlertDeliveriesTable, AlertsTable } from './alert-tables.ts'
import type { RequestContentTable } from './content-table.ts'
import type { CorrectionsTable } from './correction-table.ts'
import type {
  FeedTable,
  PerformanceHoursTable,
  RequestsTable,
  SpoolPositionsTable,
  SpoolRejectsTable,
  UsageDaysTable,
  UsageHoursTable,
  UsageUnitsTable,
  ValueDaysTable,
} from './log-tables.ts'
import type {
  InvitesTable,
  KeyTemplatesTable,
  PeopleTable,
  PersonalKeysTable,
  PersonSessionsTable,
  TokenIssuersTable,
  TokenRevocationsTable,
} from './people-schema.ts'
import type { BudgetRaisesTable } from './raises-table.ts'
import type {
  MonthClosesTable,
  ReportAccountsTable,
  ReportImportsTable,
  ReportLinesTable,
  ReportModelsTable,
} from './report-tables.ts'

/**
 * One schema for both engines: text, integers, times as Unix milliseconds, JSON as text, truth as 0 or 1.
 * Migrations make it; nothing here knows the engine.
 */
export interface Database {
  workspaces: WorkspacesTable
  keys: KeysTable
  key_values: KeyValuesTable
  routes: RoutesTable
  providers: ProvidersTable
  registry: RegistryTable
  price_versions: PriceVersionsTable
  requests: RequestsTable
  feed: FeedTable
  spool_positions: SpoolPositionsTable
  spool_rejects: SpoolRejectsTable
  usage_hours: UsageHoursTable
  usage_days: UsageDaysTable
  usage_units: UsageUnitsTable
  value_days: ValueDaysTable
  budget_raises: BudgetRaisesTable
  performance_hours: PerformanceHoursTable
  settings: SettingsTable
  audit: AuditTable
  sessions: SessionsTable
  people: PeopleTable
  invites: InvitesTable
  key_templates: KeyTemplatesTable
  personal_keys: PersonalKeysTable
  token_issuers: TokenIssuersTable
  token_revocations: TokenRevocationsTable
  person_sessions: PersonSessionsTable
  nodes: NodesTable
  alert_channels: AlertChannelsTable
  alerts: AlertsTable
  alert_deliveries: AlertDeliveriesTable
  request_content: RequestContentTable
  report_imports: ReportImportsTable
  report_lines: ReportLinesTable
  report_models: ReportModelsTable
  report_accounts: ReportAccountsTable
  resumed_sessions: ResumedSessionsTable
  corrections: CorrectionsTable
  month_closes: MonthClosesTable
}

/** Who a row belongs to: the configuration file, the environment, the gateway's own price list, or (null) the API. */
export type ManagedBy = 'config' | 'environment' | 'builtin' | null

interface WorkspacesTable {
  name: string
  created_at: number
  description: ColumnType<string | null, string | null | undefined>
  limits: ColumnType<string | null, string | null | undefined>
  /** Of the limits only: the workspace itself is not managed. */
  limits_managed_by: ColumnType<ManagedBy, ManagedBy | undefined>
  /** Null: the gateway's default. */
  streaming: ColumnType<number | null, number | null | undefined>
  streaming_managed_by: ColumnType<ManagedBy, ManagedBy | undefined>
  /** JSON; null: nothing that its calls say is stored. */
  content: ColumnType<string | null, string | null | undefined>
  content_managed_by: ColumnType<ManagedBy, ManagedBy | undefined>
  /** JSON; null: none. */
  guardrail: ColumnType<string | null, string | null | undefined>
  guardrail_managed_by: ColumnType<ManagedBy, ManagedBy | undefined>
  /** Null and 1: models can be called by their own ids; 0: through routes only. */
  direct_models: ColumnType<number | null, number | null | undefined>
  direct_models_managed_by: ColumnType<ManagedBy, ManagedBy | undefined>
  /** JSON. */
  resale: ColumnType<string | null, string | null | undefined>
  resale_managed_by: ColumnType<ManagedBy, ManagedBy | undefined>
  loops: ColumnType<string | null, string | null | undefined>
  loops_managed_by: ColumnType<ManagedBy, ManagedBy | undefined>
  /** JSON of domain/budgets/opening-spend.ts; null: none. */
  opening: ColumnType<string | null, string | null | undefined>
}

interface KeysTable {
  id: string
  /** `scoped`: an admin key that may not do everything. Gateways of the version before refuse what they do not know. */
  kind: 'live' | 'admin' | 'scoped'
  workspace: string | null
  name: string
  /** Of the newest value that works. */
  prefix: string
  created_at: number
  expires_at: number | null
  revoked_at: number | null
  paused_at: ColumnType<number | null, number | null | undefined>
  allowed_models: string | null
  limits: string | null
  managed_by: ManagedBy
  /** Of an admin key: null is `admin`. */
  role: ColumnType<Role | null, Role | null | undefined>
  /** Of an admin key, a JSON list; null: all. */
  workspaces: ColumnType<string | null, string | null | undefined>
  /** JSON of those who made the key; null: none. */
  note: ColumnType<string | null, string | null | undefined>
  /** JSON of domain/budgets/opening-spend.ts; null: none. */
  opening: ColumnType<string | null, string | null | undefined>
}

/** The secrets of keys, as hashes. The first one of a key has the id of the key. */
interface KeyValuesTable {
  id: string
  key_id: string
  hash: string
  prefix: string
  created_at: number
  /** Refused from then on; null: as long as its key works. */
  ends_at: number | null
  /** Written now and then, by every gateway for the calls that it let in. */
  last_used_at: number | null
}

interface RoutesTable {
  workspace: string
  alias: string
  description: string | null
  chain: string
  /** Null is no, too: gateways of the version before write none. */
  interchangeable: number | null
  compaction: 'refuse' | null
  prompt_cache: 'auto' | null
  /** JSON; null: it stores no answers. */
  cache: string | null
  /** Unix milliseconds; answers stored before are no longer used. */
  cache_purged_at: number | null
  /** JSON; null: none. */
  defaults: string | null
  /** 1: every workspace can call it; null: no. */
  shared: number | null
  created_at: number
  updated_at: number
  managed_by: ManagedBy
}

interface ProvidersTable {
  name: string
  family: string
  base_url: string | null
  api_key_encrypted: string | null
  headers_encrypted: string | null
  created_at: number
  updated_at: number
  managed_by: ManagedBy
  /** What it charges at most, in percent of the list price, as its answers have shown or an operator has said. */
  price_percent: number | null
  /** Null is `abort`, too: gateways of the version before write none. */
  on_caller_left: string | null
  /** Null is `estimate`. */
  on_estimate: string | null
  /** A JSON list of formats; null: the family knows. */
  speaks: string | null
  /** JSON: preset, settings, ca. */
  options: string | null
  /** JSON: credentials, proxy. */
  credentials_encrypted: string | null
}

interface RegistryTable {
  provider: string
  model: string
  aliases: string
  context_window: number | null
  max_output_tokens: number | null
  max_input_tokens: number | null
  capabilities: string
  efforts: string | null
  deprecated: number
  shutdown_date: string | null
  mode: string
  note: string | null
  managed_by: ManagedBy
  updated_at: number
}

interface PriceVersionsTable {
  id: Generated<number>
  provider: string
  model: string
  created_at: number
  source: string
  prices: string
}

/** Every change of control data: who, when, what, before and after without secrets. */
interface AuditTable {
  id: string
  at: number
  /** Id of an admin key or a person, or `config`, `environment`. */
  actor: string
  actor_name: string
  action: string
  workspace: string | null
  resource: string
  before: string | null
  after: string | null
}

/** Who has signed in at the dashboard with an admin key. */
interface SessionsTable {
  id: string
  /** The admin key they signed in with. */
  key_id: string
  /** SHA-256 of what their cookie holds. */
  secret_hash: string
  created_at: number
  expires_at: number
}

/** Sessions that a person has resumed recently. */
interface ResumedSessionsTable {
  workspace: string
  session: string
  resumed_at: number
}

/** The gateways of a PostgreSQL; an embedded one is alone and writes nothing here. */
interface NodesTable {
  /** Id of a data folder. */
  node: string
  name: string
  version: string
  started_at: number
  seen_at: number
  state: 'running' | 'stopped'
  lag_rows: number
  /** The process that runs it now, or ran it last. */
  instance: string
  /** Where its folder is. */
  place: string
}

interface SettingsTable {
  name: string
  value: string
}

export type WorkspaceRow = Selectable<WorkspacesTable>
export type KeyRow = Selectable<KeysTable>
export type KeyValueRow = Selectable<KeyValuesTable>
export type RouteRow = Selectable<RoutesTable>
export type ProviderRow = Selectable<ProvidersTable>
export type RegistryRow = Selectable<RegistryTable>
export type PriceVersionRow = Selectable<PriceVersionsTable>
export type AuditRow = Selectable<AuditTable>
export type AlertChannelRow = Selectable<AlertChannelsTable>
export type AlertRow = Selectable<AlertsTable>
export type AlertDeliveryRow = Selectable<AlertDeliveriesTable>
export type PersonRow = Selectable<PeopleTable>
export type InviteRow = Selectable<InvitesTable>
export type NodeRow = Selectable<NodesTable>
export type RequestRow = Selectable<RequestsTable>
export type FeedBatchRow = Selectable<FeedTable>
export type NewRequestRow = Insertable<RequestsTable>
