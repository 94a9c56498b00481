import type { Store } from '../src/app/open-store.ts'
import { compilePrice, costOf, parsePrices } from '../src/domain/pricing/price.ts'
import { NO_USAGE, type TokenUsage } from '../src/domain/pricing/usage.ts'
import type { CloseRecord } from '../src/request-log/record.ts'
import { newestPriceVersion } from '../src/store/control/registry.ts'
import type { RequestRow } from '../src/store/engine/schema.ts'
import { closeRecord } from './test-store.ts'

/**
 * A day of OpenAI whose invoice is 3.10 USD above ours for six reasons at once: ten calls without an answer (1.02), calls
 * charged as priority (0.98), searches (0.60), calls of a stranger on the key (0.455), a row that was lost (0.0435), and an
 * invoice in cents (0.0015). Needs a model m1 at 2.50, 0.25 and 15 USD per million tokens.
 */
export const BOOKKEEPER_DAY = '2026-05-04'
export const BOOKKEEPER_MONTH = BOOKKEEPER_DAY.slice(0, 7)
const DAY = Date.parse(`${BOOKKEEPER_DAY}T00:00:00Z`)
const MINUTE_MS = 60_000

const PRIORITY = { input: 50_000, output: 8_000 }
const GROUPS = 4
const LOST = { input: 12_000, output: 900 }
const CUT = { input: 30_000, output: 1_800 }
const CUT_MOST = '136440000000'
const CUTS = 10
const STRANGER = { input: 70_000, output: 3_500 }
/** What is booked, priority calls among it. */
const BASE = { input: 1_235_580, cachedInput: 4_800_000, output: 240_070 }
const PLAIN = {
  input: BASE.input - GROUPS * PRIORITY.input,
  cachedInput: BASE.cachedInput,
  output: BASE.output - GROUPS * PRIORITY.output,
}

const minute = (place: number) => DAY + place * MINUTE_MS
let lost: RequestRow | null = null

/** Without the lost one, or that one alone. */
export async function writeBookkeeperRows(
  { db, requestLog }: Pick<Store, 'db' | 'requestLog'>,
  { onlyLost = false } = {},
): Promise<void> {
  if (onlyLost) {
    if (lost !== null) await db.insertInto('requests').values(lost).execute()
    return
  }
  const version = await newestPriceVersion(db, 'openai', 'm1')
  const price = compilePrice(parsePrices(version?.prices ?? ''))
  const call = (id: string, place: number, used: Partial<TokenUsage> | null, more: Partial<CloseRecord> = {}) => {
    const usage = used === null ? null : { ...NO_USAGE, ...used }
    const costPicodollars = usage === null ? null : String(costOf(usage, price))
    const served = { provider: 'openai', model: 'm1', usage, costPicodollars, priceVersion: version?.id ?? 0 }
    const times = { startedAt: minute(place) + 10, finishedAt: minute(place) + 20 }
    return requestLog.close(closeRecord(id, { ...times, ...served, ...more }))
  }
  const unanswered = { unconfirmedEstimate: '0', unconfirmedMost: CUT_MOST, unconfirmedCounted: CUT_MOST, status: null }
  await Promise.all([
    call('plain', 0, PLAIN),
    ...Array.from({ length: GROUPS }, (_, index) => call(`priority-${index}`, 1, PRIORITY)),
    ...Array.from({ length: CUTS }, (_, index) => call(`cut-${index}`, 10 + index, null, unanswered)),
    call('lost', 40, LOST),
  ])
  await requestLog.caughtUp()
  lost = await db.selectFrom('requests').selectAll().where('id', '=', 'lost').executeTakeFirstOrThrow()
  await db.deleteFrom('requests').where('id', '=', 'lost').execute()
}

interface Reported {
  input: number
  output: number
  cachedInput?: number
}

/** Usage by minute and an invoice in cents, as the vendor exports them. */
export function bookkeeperReports(): { source: string; text: string }[] {
  const bucket = (place: number, requests: number, used: Reported, tier = 'default') => ({
    ...{ object: 'bucket', start_time: minute(place) / 1000, end_time: minute(place + 1) / 1000 },
    results: [
      {
        ...{ object: 'organization.usage.completions.result', api_key_id: 'key_1', model: 'm1', service_tier: tier },
        ...{ input_tokens: used.input + (used.cachedInput ?? 0), input_cached_tokens: used.cachedInput ?? 0 },
        ...{ output_tokens: used.output, num_model_requests: requests, batch: false },
      },
    ],
  })
  const fast = { input: GROUPS * PRIORITY.input, output: GROUPS * PRIORITY.output }
  const usage = [
    bucket(0, 1, PLAIN),
    bucket(1, GROUPS, fast, 'priority'),
    ...Array.from({ length: CUTS }, (_, index) => bucket(10 + index, 1, CUT)),
    bucket(40, 1, LOST),
    ...[600, 601].map((place) => bucket(place, 7, STRANGER)),
  ]
  const line = (model: string, name: string, quantity: string, amount: string) =>
    `${BOOKKEEPER_DAY},UTC,${model},key_1,${name},${quantity},${amount},USD`
  const invoice = [
    'date,time_zone,model,account,class,quantity,amount,currency',
    ...[line('m1', 'input', '', '4.72'), line('m1', 'cached_input', '', '1.20'), line('m1', 'output', '', '4.47')],
    ...[line('', 'tool:web_search', '60', '0.60'), ''],
  ]
  return [
    { source: 'openai-usage', text: JSON.stringify({ object: 'page', data: usage, has_more: false, next_page: null }) },
    { source: 'csv', text: invoice.join('\n') },
  ]
}
