import { availableParallelism } from 'node:os'
import { createBodies, IDLE_MS, startWorker } from '../bodies/bodies.ts'
import { workersFor } from '../bodies/body-workers.ts'
import { KnownRoots } from '../calls/attribution/session-roots.ts'
import { type AnswerCache, MemoryCache } from '../calls/cache/answer-cache.ts'
import { openValkeyCache } from '../calls/cache/valkey-cache.ts'
import type { Circuits } from '../calls/chain/circuits.ts'
import { createPricePercents } from '../calls/chain/price-percents.ts'
import { createProviderHealth } from '../calls/chain/provider-health.ts'
import { createQuirks } from '../calls/chain/quirks.ts'
import { createSpokenFormats } from '../calls/chain/spoken-formats.ts'
import { createTraffic } from '../calls/chain/traffic.ts'
import type { Deps } from '../calls/deps.ts'
import { createIdempotency, type IdempotencyOptions } from '../calls/idempotency/idempotency.ts'
import { litellmHeaders } from '../calls/litellm/litellm-headers.ts'
import { MOST_IN_ALL } from '../calls/loops/loop-sessions.ts'
import { LoopWatch, type LoopWatchOptions } from '../calls/loops/loop-watch.ts'
import type { Catalog } from '../calls/models/catalog.ts'
import type { IsKnown } from '../calls/models/known-models.ts'
import { MOST_TURNS, PromptTurns } from '../calls/prompt-cache/prompt-turns.ts'
import { OpenStreams } from '../calls/stream/open-streams.ts'
import type { PrefixRule } from '../domain/route.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { SpendLedger } from '../limits/spend-ledger.ts'
import type { AuthorizeDeps } from '../providers/authorize.ts'
import { FAMILIES } from '../providers/families.ts'
import { builtinProviders } from '../providers/provider-kinds.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Tracing } from '../telemetry/tracing.ts'
import type { Settings } from './config.ts'
import { openTokenCallers } from './open-token-callers.ts'
import { streamSettings } from './stream-config.ts'

export const PREFIXES: PrefixRule[] = builtinProviders().flatMap(({ name, modelPrefixes }) =>
  modelPrefixes.map((prefix) => ({ prefix, provider: name })),
)

/** What a thread needs from outside to serve calls; the rest is made here, and is this thread's own. */
export interface CallParts {
  settings: ThreadSettings
  /** Of how many threads this is one: what they have together is divided. */
  shares: number
  snapshot(): Snapshot
  catalog: Catalog
  isKnown: IsKnown
  circuits: Circuits
  asking: AuthorizeDeps
  raisePricePercent(provider: string, percent: number): Promise<unknown>
  written: Pick<Deps, 'requestLog' | 'noteUse' | 'sealingKeys' | 'content'>
  onLoopStop: LoopWatchOptions['onStop']
  logged: Pick<IdempotencyOptions, 'find' | 'caughtUp'>
  ledger: SpendLedger
  metrics: Metrics
  tracing: Tracing
  log: Log
  /** Unix milliseconds; never goes back. */
  clock(): number
}

/** Without what cannot be sent to another thread. */
export type ThreadSettings = Omit<Settings, 'TRUSTED_PROXIES'>

const REPLAYS = { outcomeBytes: 64 * 1024 * 1024, identities: 100_000 }

export function createDeps(parts: CallParts): Deps {
  const { settings, shares, snapshot, asking, metrics, log } = parts
  const { now } = asking
  const streams = new OpenStreams(streamSettings(settings))
  return {
    families: FAMILIES,
    aspects: settings.LITELLM_API === 'on' ? [litellmHeaders] : [],
    prefixes: PREFIXES,
    random: Math.random,
    snapshot,
    catalog: parts.catalog,
    circuits: parts.circuits,
    quirks: createQuirks(),
    spoken: createSpokenFormats({ ...asking, families: FAMILIES }),
    pricePercents: createPricePercents(parts.raisePricePercent, log),
    traffic: createTraffic(now),
    providerHealth: createProviderHealth(now, snapshot),
    isKnown: parts.isKnown,
    ...asking,
    bodies: createBodies((error) => log.error({ err: error }, 'a worker for large bodies died'), startWorker, {
      most: workersFor(availableParallelism(), shares),
      idleMs: IDLE_MS,
    }),
    ...parts.written,
    ledger: parts.ledger,
    tokenCallers: openTokenCallers(parts),
    roots: new KnownRoots(),
    idempotency: createIdempotency({
      ...parts.logged,
      onReplay: () => metrics.idempotentReplays.add(),
      now: parts.clock,
      bounds: {
        outcomeBytes: Math.floor(REPLAYS.outcomeBytes / shares),
        identities: Math.floor(REPLAYS.identities / shares),
      },
    }),
    loops: new LoopWatch({ most: Math.floor(MOST_IN_ALL / shares), now: parts.clock, onStop: parts.onLoopStop }),
    promptTurns: new PromptTurns(Math.floor(MOST_TURNS / shares)),
    cache: openCache(parts),
    streams,
    metrics,
    tracing: parts.tracing,
    log,
    maxBodyBytes: settings.MAX_BODY_BYTES,
    cutOff: () => streams.isCut,
  }
}

/** Of the gateways that share one, or of this thread alone. */
function openCache({ settings, shares, asking, written, metrics, log }: CallParts): AnswerCache {
  const { CACHE_REDIS_URL: url, CACHE_MEMORY_MB: megabytes, REDIS_PREFIX: prefix } = settings
  const [secret] = written.sealingKeys
  if (url === undefined || secret === undefined) {
    return new MemoryCache(Math.floor((megabytes * 2 ** 20) / shares), asking.now, (bytes) =>
      metrics.cacheBytes.add(bytes),
    )
  }
  const onProblem = (problem: string) =>
    log.warn({ problem }, 'the shared response cache is unreachable: nothing is cached')
  return openValkeyCache({ url, prefix: `${prefix}:`, secret, onProblem })
}
