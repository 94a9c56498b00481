import type { z } from 'zod'
import { GatewayError } from '../../domain/errors.ts'
import { picodollarsOfUsd } from '../../domain/pricing/price.ts'
import type { RequestFilters } from '../../request-log/search/filters.ts'
import { tagOf } from '../../request-log/search/tag.ts'
import type { requestFilters } from '../contract/requests.ts'
import type { ManagementDeps } from '../deps.ts'

type FilterQuery = z.output<z.ZodObject<typeof requestFilters>>

/** The largest integer that both engines compare with. */
const LARGEST_AMOUNT = 2n ** 63n - 1n

export function filtersOf(query: FilterQuery): RequestFilters {
  const { status, min_cost_usd: minCost } = query
  const cost = minCost === undefined ? null : picodollarsOfUsd(minCost)
  return {
    workspace: query.workspace,
    ...rangeOf(query),
    keyId: query.key ?? null,
    route: query.route ?? null,
    provider: query.provider ?? null,
    model: query.model ?? null,
    code: query.code ?? null,
    param: query.param ?? null,
    providerCode: query.provider_code ?? null,
    reason: query.reason ?? null,
    status: status === undefined ? null : status === 'ok' || status === 'error' ? status : Number(status),
    fallback: query.fallback === undefined ? null : query.fallback === 'true',
    minCostPicodollars: cost === null || cost <= LARGEST_AMOUNT ? cost : LARGEST_AMOUNT,
    unconfirmed: query.unconfirmed ?? null,
    minDurationMs: query.min_duration_ms ?? null,
    maxDurationMs: query.max_duration_ms ?? null,
    streamed: query.streamed === undefined ? null : query.streamed === 'true',
    ended: query.ended ?? null,
    cache: query.cache ?? null,
    endpoint: query.endpoint ?? null,
    user: query.user ?? null,
    session: query.session ?? null,
    agent: query.agent ?? null,
    kind: query.kind ?? null,
    project: query.project ?? null,
    tag: query.tag === undefined ? null : tagOf(query.tag),
  }
}

/** Unix milliseconds; throws 400 when nothing can lie between the two. */
export function rangeOf(query: { from?: string | undefined; to?: string | undefined }) {
  const from = query.from === undefined ? null : Date.parse(query.from)
  const to = query.to === undefined ? null : Date.parse(query.to)
  if (from !== null && to !== null && from >= to) {
    throw new GatewayError('invalid_request', 'from: must be earlier than to')
  }
  return { from, to }
}

/** Longer than the fold ever lags while the database is there. */
const LONGEST_WAIT_MS = 2_000

/** Waits until calls that were answered before are in the tables; a database that lags is read as it is. */
export async function untilCaughtUp({ caughtUp }: ManagementDeps): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, LONGEST_WAIT_MS)
  })
  await Promise.race([caughtUp(), late])
  clearTimeout(timer)
}
