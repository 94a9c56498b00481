import type { LogFields } from './fields.ts'

export interface UsageDimension {
  /** In the request table and both usage tables; those store null as an empty text. */
  column: LogFields['column']
  /** Its name in the API: the value of `group_by`, and the filter where it is one. */
  parameter: string
  /** The columns that a group shows; the column alone where left out. */
  group?: readonly LogFields['column'][]
  filter?: { maxLength: number; doc: string }
}

/**
 * What the sums are kept by, beside workspace and time. The fold, the usage queries and the management API read this
 * table. A new dimension is a row here and a migration that adds the column to `usage_hours` and `usage_days` and to
 * their primary keys. Each has few values: the sums grow with their product.
 */
export const USAGE_DIMENSIONS = [
  { column: 'key_id', parameter: 'key', filter: { maxLength: 64, doc: 'Only this key, by id' } },
  {
    column: 'route',
    parameter: 'route',
    filter: { maxLength: 64, doc: 'Only this alias; empty for direct model ids' },
  },
  { column: 'provider', parameter: 'provider', filter: { maxLength: 64, doc: 'Only this provider' } },
  {
    column: 'model',
    parameter: 'model',
    group: ['provider', 'model'],
    filter: { maxLength: 512, doc: 'Only this model of the provider that served' },
  },
  { column: 'code', parameter: 'code' },
  { column: 'endpoint', parameter: 'endpoint', filter: { maxLength: 64, doc: 'Only this endpoint' } },
] as const satisfies readonly UsageDimension[]

/** Values chosen by callers, without a bound: summed from the rows on demand (decision 0006). */
export const ROW_DIMENSIONS = [
  { column: 'end_user', parameter: 'user', filter: { maxLength: 128, doc: 'Only this user' } },
  { column: 'session', parameter: 'session', filter: { maxLength: 128, doc: 'Only this session' } },
  { column: 'agent', parameter: 'agent', filter: { maxLength: 128, doc: 'Only this agent of a session' } },
  { column: 'kind', parameter: 'kind', filter: { maxLength: 16, doc: 'Only calls of this kind' } },
  { column: 'project', parameter: 'project', filter: { maxLength: 128, doc: 'Only this project' } },
] as const satisfies readonly UsageDimension[]

export const ALL_DIMENSIONS = [...USAGE_DIMENSIONS, ...ROW_DIMENSIONS] as const

type Dimensions = (typeof ALL_DIMENSIONS)[number]
export type DimensionColumn = (typeof USAGE_DIMENSIONS)[number]['column']
export type RowDimensionColumn = (typeof ROW_DIMENSIONS)[number]['column']
export type UsageGroup = Dimensions['parameter']
export type UsageFilter = Extract<Dimensions, { filter: object }>['parameter']
