import { USAGE_DIMENSIONS } from '../domain/log/usage-dimensions.ts'
import type { Database } from '../store/engine/schema.ts'

export interface MovedTable {
  name: keyof Database
  /** What its rows are walked along: unique, and an index of the embedded database. */
  key: readonly string[]
}

/** What a gateway is set up with: small, and moved in one transaction. No row comes before what it refers to. */
export const CONTROL_TABLES: readonly MovedTable[] = [
  { name: 'workspaces', key: ['name'] },
  { name: 'keys', key: ['id'] },
  { name: 'key_values', key: ['id'] },
  { name: 'routes', key: ['workspace', 'alias'] },
  { name: 'providers', key: ['name'] },
  { name: 'registry', key: ['provider', 'model'] },
  { name: 'price_versions', key: ['id'] },
  { name: 'sessions', key: ['id'] },
  { name: 'alert_channels', key: ['id'] },
  { name: 'people', key: ['id'] },
  { name: 'invites', key: ['id'] },
  { name: 'key_templates', key: ['name'] },
  { name: 'personal_keys', key: ['key_id'] },
  { name: 'token_issuers', key: ['name'] },
  { name: 'token_revocations', key: ['issuer', 'claim', 'value'] },
  { name: 'person_sessions', key: ['id'] },
  { name: 'budget_raises', key: ['id'] },
  { name: 'report_models', key: ['provider', 'name'] },
  { name: 'report_accounts', key: ['provider', 'account'] },
  { name: 'resumed_sessions', key: ['workspace', 'session'] },
  // A gateway that starts in the same folder again must not deliver what came from there.
  { name: 'spool_positions', key: ['node'] },
]

const SUMS_KEY = USAGE_DIMENSIONS.map(({ column }) => column)

/** What has come about since: of any length, and moved batch by batch. */
export const LOG_TABLES: readonly MovedTable[] = [
  { name: 'audit', key: ['id'] },
  { name: 'alerts', key: ['id'] },
  { name: 'alert_deliveries', key: ['id'] },
  { name: 'report_imports', key: ['id'] },
  { name: 'report_lines', key: ['id'] },
  { name: 'month_closes', key: ['month'] },
  { name: 'spool_rejects', key: ['node', 'seq'] },
  { name: 'usage_days', key: ['workspace', 'day', ...SUMS_KEY] },
  { name: 'usage_hours', key: ['workspace', 'hour', ...SUMS_KEY] },
  { name: 'usage_units', key: ['workspace', 'step', 'start', ...SUMS_KEY, 'unit'] },
  { name: 'value_days', key: ['workspace', 'kind', 'of_name', 'value', 'key_id', 'parent', 'day'] },
  { name: 'performance_hours', key: ['workspace', 'hour', 'kind'] },
  { name: 'requests', key: ['id'] },
  { name: 'feed', key: ['position'] },
  { name: 'corrections', key: ['id'] },
]

export const MOVED_TABLES = [...CONTROL_TABLES, ...LOG_TABLES]

/** Moved value by value, because the target has some of them from its beginning. */
export const SETTINGS_TABLE: MovedTable = { name: 'settings', key: ['name'] }
