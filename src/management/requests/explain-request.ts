import type { Kysely } from 'kysely'
import { CALLER_LEFT, INTERRUPTED } from '../../domain/errors.ts'
import type { AttemptPhase } from '../../domain/log/stream-words.ts'
import { type CostLines, costLines, costWords } from '../../domain/pricing/cost-lines.ts'
import { asPicodollars, exactUsd, parsePrices } from '../../domain/pricing/price.ts'
import { isFree } from '../../domain/pricing/row-cost.ts'
import type { Uses } from '../../domain/pricing/usage.ts'
import { ADJUSTMENT_REASONS, type Adjustment } from '../../domain/request/adjustment.ts'
import type { AttemptRecord } from '../../request-log/record.ts'
import { usageOf } from '../../request-log/row.ts'
import type { Database, PriceVersionRow, RequestRow } from '../../store/engine/schema.ts'
import { timestamp } from '../contract/fields.ts'
import type { ReplyOf } from '../contract/operation.ts'
import type { requestOperations } from '../contract/requests.ts'
import { adjustmentsOf, attemptsOf } from './request-view.ts'
import { boundWords, cutWords, estimateWords, firstContentWords, isBookedAtBound } from './stream-words.ts'
import { attemptBillWords, unconfirmedWords } from './unconfirmed-words.ts'

type Explained = ReplyOf<(typeof requestOperations)['requests.explain']>

export async function explainRequest(
  db: Kysely<Database>,
  row: RequestRow,
  keyName: string | null,
): Promise<Explained> {
  const adjusted = adjustmentsOf(row).map(adjustmentWords)
  const steps = [
    asked(row, keyName),
    ...adjusted,
    ...attemptsOf(row).map((attempt, index) => `${attemptWords(attempt, index)}${attemptBillWords(attempt)}`),
    ...cacheWords(row),
    ...missWords(row),
    ...firstContentWords(row),
    `${ending(row)}${why(row)}`,
  ]
  const { cost_lines: lines, cost } = await explainCost(db, row)
  return { id: row.id, steps, cost_lines: [...lines, ...unconfirmedWords(row)], cost }
}

function cacheWords({ cache, answer_of: first }: RequestRow): string[] {
  if (cache === 'hit')
    return [`The response cache of the route had the answer of request ${first}: no provider was called.`]
  if (cache === 'bypass') return ['The response cache of the route was not asked: the caller or the request says so.']
  return cache === 'miss' ? ['The response cache of the route had no answer.'] : []
}

function missWords({ cache_miss: reason }: RequestRow): string[] {
  return reason === null ? [] : [`Little of the prompt came from the provider's prompt cache: ${reason}.`]
}

function asked(row: RequestRow, keyName: string | null): string {
  const who = `Key ${keyName === null ? row.key_id : `'${keyName}'`} of workspace '${row.workspace}'`
  if (row.requested_model === null) return `${who} sent a request in which no model could be read.`
  const asks = `${who} asked for '${row.requested_model}'`
  if (row.cache === 'hit') return `${asks}: a route alias, whose response cache had the answer.`
  if (row.route !== null) return `${asks}: a route alias, so its chain is tried in order.`
  // Refused before the name was resolved.
  return attemptsOf(row).length === 0 ? `${asks}.` : `${asks}: no route alias, so a direct model id.`
}

function adjustmentWords({ field, value, reason, from }: Adjustment): string {
  if (reason === 'unused_key') return `The gateway did not use '${field}': ${ADJUSTMENT_REASONS[reason]}.`
  if (reason === 'left_out') return `The gateway left out '${field}': ${ADJUSTMENT_REASONS[reason]}.`
  if (reason === 'refused') {
    const what = value === null ? `'${field}'` : `'${value}' of '${field}'`
    return `The gateway left out ${what}: ${ADJUSTMENT_REASONS[reason]}.`
  }
  const sent = value === null ? `'${field}'` : `'${field}' as ${value}`
  const instead = from === undefined ? '' : ` instead of '${from}'`
  return `The gateway sent ${sent}${instead}: ${ADJUSTMENT_REASONS[reason]}.`
}

const PHASES: Record<AttemptPhase, string> = {
  connect: 'while connecting',
  headers: 'before its answer began',
  before_content: 'before any content',
  after_content: 'after content had been sent',
}

function attemptWords(attempt: AttemptRecord, index: number): string {
  const entry = `${index + 1}. ${attempt.provider}/${attempt.model}`
  if (attempt.kind === 'skipped') return `${entry} was not called (${attempt.reason}).`
  const answered = attempt.status === null ? 'gave no answer' : `answered ${attempt.status}`
  const call = `${entry} was called ${attempt.startedAfterMs} ms after the start and ${answered} within ${attempt.durationMs} ms`
  if (attempt.code === 'hedge_lost')
    return `${entry} was called ${attempt.startedAfterMs} ms after the start: ${attempt.reason}.`
  if (attempt.code === null) return `${call}: it served the call.`
  const where = attempt.phase === undefined ? '' : ` (${PHASES[attempt.phase]})`
  const own = attempt.providerCode === undefined ? '' : `, which it calls ${attempt.providerCode}`
  return `${call}: ${attempt.code}${where}${own}. Then: ${attempt.reason || 'no fallback was tried'}.`
}

function ending(row: RequestRow): string {
  if (row.state === 'open') return 'The call is still running.'
  const cut = cutWords(row)
  if (cut !== null) return cut
  if (row.code === INTERRUPTED.code)
    return 'The gateway ended before the call did: logged as interrupted at the next start.'
  if (row.code === CALLER_LEFT.code) return 'The caller hung up before the answer.'
  const called = attemptsOf(row).some((attempt) => attempt.kind === 'called')
  if (row.code !== null) {
    const before = called ? '' : ', before any provider was called'
    return `The caller got ${row.status} ${row.code}${before}.`
  }
  const fallback = row.fallback === 1 ? ', a fallback, after an earlier entry failed' : ''
  const stream = row.streamed === 1 ? ` as a stream of ${row.events_sent} events` : ''
  const served = row.cache === 'hit' ? 'a stored answer of' : 'served by'
  return `The caller got ${row.status}${stream}, ${served} ${row.provider}/${row.model}${fallback}.`
}

/** What the row keeps of the error that the caller got. */
function why({ reason, param }: RequestRow): string {
  if (reason === null) return ''
  const about = param === null || reason.startsWith(param) ? '' : ` It is about '${param}'.`
  return ` ${reason}${about}`
}

async function explainCost(db: Kysely<Database>, row: RequestRow): Promise<Pick<Explained, 'cost_lines' | 'cost'>> {
  const none = (reason: string) => ({ cost_lines: [reason], cost: null })
  const usage = usageOf(row)
  if (isBookedAtBound(row)) return none(boundWords(row))
  if (row.cache === 'hit') return none(`a stored answer costs nothing: ${savedWords(row)}`)
  if (usage === null) return none('no provider served the call, so it has no cost')
  if (isFree({ endpoint: row.endpoint, isHit: false, isServed: true })) return none('this endpoint costs nothing')
  if (row.cost_picodollars === null) {
    return none(
      `no price was known for ${row.provider}/${row.model} ${toolWords(usage.uses)}when the call was admitted, or its counts are beyond belief: the cost is unknown`,
    )
  }
  const version = await db
    .selectFrom('price_versions')
    .selectAll()
    .where('id', '=', row.price_version ?? -1)
    .executeTakeFirst()
  const cost = version === undefined ? null : costLines(usage, parsePrices(version.prices))
  if (version === undefined || cost === null) return none(`price version ${row.price_version} can no longer be read`)
  const since = timestamp(version.created_at)
  const head = `price version ${version.id} of ${version.provider}/${version.model}, in force since ${since} (${version.source})`
  const lost = attemptsOf(row).filter(({ costPicodollars }) => costPicodollars !== undefined)
  const lines = [head, ...costWords(cost), ...lostWords(lost, row), ...estimateWords(row)]
  return { cost_lines: lines, cost: toCostView(cost, version, BigInt(row.cost_picodollars) - cost.total) }
}

/** Which tools it used, one of which may have had no price. */
function toolWords(uses: Uses | null = null): string {
  return uses === null ? '' : `or a tool that it used (${Object.keys(uses).join(', ')}) `
}

function savedWords({ saved_picodollars: saved }: RequestRow): string {
  return saved === null ? 'what it had cost is unknown' : `it had cost ${exactUsd(asPicodollars(BigInt(saved)))} USD`
}

/** An entry that was asked, too, and was slower. */
function lostWords(lost: readonly AttemptRecord[], { cost_picodollars: total }: RequestRow): string[] {
  if (lost.length === 0) return []
  const usd = (picodollars: bigint) => exactUsd(asPicodollars(picodollars))
  return [
    ...lost.map(({ provider, model, costPicodollars, usageSource }) => {
      const counted = usageSource === 'provider' ? 'as it counted' : 'an estimate'
      return `${provider}/${model} was asked, too, and lost: ${usd(BigInt(costPicodollars ?? 0))} USD, ${counted}`
    }),
    `together: ${usd(BigInt(total ?? 0))} USD`,
  ]
}

function toCostView(cost: CostLines, version: PriceVersionRow, lost: bigint): NonNullable<Explained['cost']> {
  return {
    price_version: version.id,
    price_source: version.source,
    price_since: timestamp(version.created_at),
    tier_above: cost.tierAbove,
    lines: cost.lines.map((line) => ({
      class: line.class,
      tokens: line.tokens,
      usd_per_mtok: line.perMtok,
      amount_usd: exactUsd(line.amount),
    })),
    uses: cost.uses.map(({ name, unit, uses, paid, per1000, amount }) => ({
      ...{ name, unit, uses, paid, usd_per_1000: per1000 },
      amount_usd: exactUsd(amount),
    })),
    list_usd: exactUsd(cost.listAmount),
    price_percent: cost.pricePercent,
    lost_usd: exactUsd(asPicodollars(lost)),
    total_usd: exactUsd(asPicodollars(cost.total + lost)),
  }
}
