import { type BudgetUse, readBudgetUses } from '../alerts/budget-use.ts'
import { deliver, type Post, type Ways } from '../alerts/deliver.ts'
import { readValueUses } from '../alerts/value-use.ts'
import { type Watch, watchAlerts } from '../alerts/watch.ts'
import type { Deps } from '../calls/deps.ts'
import type { AlertChannel } from '../domain/alerts/channel.ts'
import type { LimitsState } from '../domain/gateway-status.ts'
import { newId } from '../domain/new-id.ts'
import { driftWatch } from '../management/reconciliation/drifts.ts'
import { isAway } from '../store/engine/database-away.ts'
import { errorText } from '../store/engine/store-error.ts'
import type { BudgetGauge } from '../telemetry/budget-metrics.ts'
import type { UpstreamClient } from '../upstream/client.ts'
import { resolveName } from '../upstream/guarded-lookup.ts'
import { plainSocket } from '../upstream/plain-socket.ts'
import { stoppageWords } from '../upstream/stoppage-words.ts'
import type { Store } from './open-store.ts'
import { readProviders } from './status.ts'
import type { Threads } from './threads/threads.ts'

export interface AlertParts {
  deps: Deps
  store: Store
  everySeconds: number
  limits(): LimitsState
  threads: Pick<Threads, 'statuses' | 'count'>
}

/** The rules are looked at beside the calls; null: never. */
export function openAlerts({ deps, store, everySeconds, limits, threads }: AlertParts): Watch | null {
  if (everySeconds === 0) return null
  const { snapshot, log, now } = deps
  const { db, reads, secrets, requestLog, node: id, nodeName } = store
  /** Of several gateways without shared counters only the one that enforces knows what was spent. */
  const isBlind = () => {
    const state = limits()
    return state.kind === 'lone' && !state.enforces
  }
  const onProblem = (error: unknown) => {
    if (!isAway(error)) log.warn({ error: errorText(error) }, 'alert rules could not be evaluated')
  }
  return watchAlerts({
    ...{ db, reads, secrets, now },
    everyMs: 1000 * everySeconds,
    workspaces: () => [...snapshot().workspaces.keys()],
    budgets: async () => (isBlind() ? null : readAllUses(deps, reads)),
    providers: async () => readProviders(deps, await threads.statuses()),
    mark() {
      const writes = threads.count > 0 ? null : store.writes()
      return writes === null ? null : [writes, store.spool.lastSeq(), Math.floor(now() / HOUR_MS)].join()
    },
    drifts: driftWatch({ reads, snapshot, now, onProblem }),
    backlog: () => ({ id, name: nodeName(), ...requestLog.status() }),
    ways: waysOf(deps.upstream),
    onProblem,
  })
}

async function readAllUses({ snapshot, ledger, now }: Deps, reads: Store['reads']): Promise<BudgetUse[]> {
  const [control, at] = [snapshot(), now()]
  return [...(await readBudgetUses(control, ledger, at)), ...(await readValueUses(reads, control, at))]
}

/** As of the last evaluation of the rules: a scrape does not query the counters. Values have no bound, so they have none. */
export function budgetGauges(watch: Watch | null): BudgetGauge[] {
  const uses = (watch?.budgets() ?? []).filter(({ value }) => value === undefined)
  return uses.map(({ scope, name, workspace, per, spent, limit }) => ({
    ...{ scope: scope.kind, name, workspace, per },
    spentUsd: Number(spent) / PICODOLLARS,
    limitUsd: Number(limit) / PICODOLLARS,
  }))
}

const HOUR_MS = 3_600_000
/** Of one dollar. */
const PICODOLLARS = 1e12

/** Null: it arrived. */
export function testChannel({ upstream, now }: Deps, channel: AlertChannel): Promise<string | null> {
  const envelope = { id: `msg_${newId(now())}`, at: now(), events: [], isTest: true }
  return deliver(channel, envelope, { ...waysOf(upstream), now })
}

/** What may be sent to, also by mail, is the same as for providers. */
function waysOf(upstream: UpstreamClient): Ways {
  return { post: poster(upstream), dial: (place, timeoutMs) => plainSocket(place, { resolve: resolveName, timeoutMs }) }
}

/** The upstream client follows no redirects, and goes through the proxy of the environment. */
function poster(upstream: UpstreamClient): Post {
  return async ({ url, headers, body }, timeoutMs) => {
    const options = { method: 'POST', body: Buffer.from(body), timeoutMs, presence: null } as const
    const reply = await upstream.exchange(upstream.endpoint({ url, headers }), options)
    if (reply.kind === 'reply') return { status: reply.status }
    throw new Error(reply.kind === 'caller-left' ? 'cancelled' : stoppageWords(reply, url, timeoutMs))
  }
}
