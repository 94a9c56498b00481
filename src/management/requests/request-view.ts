import type { z } from 'zod'
import { publicName } from '../../domain/log/fields.ts'
import type { FieldKind } from '../../domain/log/log-field.ts'
import { signedUsd } from '../../domain/pricing/price.ts'
import type { Adjustment } from '../../domain/request/adjustment.ts'
import type { AttemptRecord } from '../../request-log/record.ts'
import { durationMs } from '../../request-log/search/filters.ts'
import type { ExactInteger } from '../../store/engine/exact-integer.ts'
import type { RequestRow } from '../../store/engine/schema.ts'
import { timestamp, timestampOrNull } from '../contract/fields.ts'
import { type Attempt, type LoggedRequest, REQUEST_FIELDS, USAGE_FIELDS } from '../contract/requests.ts'

type RequestView = z.input<typeof LoggedRequest>

/** How each kind of value of a row is shown, in the API and in the export. */
export const SHOW: Record<FieldKind, (value: never) => unknown> = {
  ...{ id: same, state: same, text: same, code: same, whole: same, count: same, microseconds: same },
  time: timestamp,
  end: timestampOrNull,
  flag: (value: number) => value === 1,
  money: usdOrNull,
  hold: usdOrNull,
  texts: (value: string) => JSON.parse(value),
  adjustments: (value: string | null) => (value === null ? [] : JSON.parse(value)),
  tags: (value: string | null) => (value === null ? {} : JSON.parse(value)),
  figures: (value: string | null) => (value === null ? {} : JSON.parse(value)),
  attempts: (value: string) => (JSON.parse(value) as AttemptRecord[]).map(toAttemptView),
}

/** The export has microseconds as they are. */
const SHOW_IN_API = { ...SHOW, microseconds: (value: number) => value / 1000 }

export function toRequestView(row: RequestRow, keyNames: ReadonlyMap<string, string>): RequestView {
  const view: Record<string, unknown> = {}
  for (const field of REQUEST_FIELDS) {
    view[publicName(field, 'api') ?? ''] = SHOW_IN_API[field.kind](row[field.column] as never)
  }
  view['key_name'] = keyNames.get(row.key_id) ?? null
  view['attempt_count'] = attemptsOf(row).filter((attempt) => attempt.kind === 'called').length
  view['duration_ms'] = durationMs(row)
  view['usage'] = usageView(row)
  return view as RequestView
}

function same(value: unknown): unknown {
  return value
}

function usdOrNull(picodollars: ExactInteger | null): string | null {
  return picodollars === null ? null : signedUsd(BigInt(picodollars))
}

export function attemptsOf(row: RequestRow): AttemptRecord[] {
  return JSON.parse(row.attempts) as AttemptRecord[]
}

export function adjustmentsOf(row: RequestRow): Adjustment[] {
  return SHOW.adjustments(row.adjustments as never) as Adjustment[]
}

export function toAttemptView(attempt: AttemptRecord): z.input<typeof Attempt> {
  return {
    kind: attempt.kind,
    provider: attempt.provider,
    model: attempt.model,
    started_after_ms: attempt.startedAfterMs,
    duration_ms: attempt.durationMs,
    status: attempt.status,
    code: attempt.code,
    upstream_request_id: attempt.upstreamRequestId,
    provider_code: attempt.providerCode ?? null,
    reason: attempt.reason,
    phase: attempt.phase ?? null,
    cost_usd: usdOrNull(attempt.costPicodollars == null ? null : BigInt(attempt.costPicodollars)),
    usage_source: attempt.usageSource ?? null,
    unconfirmed: unconfirmedView(attempt),
  }
}

function unconfirmedView({ unconfirmed }: AttemptRecord) {
  if (unconfirmed === undefined) return null
  const { estimate, most } = unconfirmed
  return { estimate_usd: usdOrNull(BigInt(estimate)) ?? '0', most_usd: usdOrNull(BigInt(most)) ?? '0' }
}

function usageView(row: RequestRow): RequestView['usage'] {
  if (row.prompt_tokens === null) return null
  const tokens = Object.fromEntries(USAGE_FIELDS.map(({ column }) => [column, row[column] ?? 0]))
  return { ...tokens, total_tokens: row.prompt_tokens + (row.completion_tokens ?? 0) } as RequestView['usage']
}
