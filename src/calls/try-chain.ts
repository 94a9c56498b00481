import { ERRORS, GatewayError } from '../domain/errors.ts'
import type { Failure } from '../domain/failure.ts'
import { toldSeconds } from '../domain/retry-after.ts'
import type { ChainEntry, Resolved } from '../domain/route.ts'
import { CallerLeftError } from '../http/call.ts'
import type { Admission } from './admit.ts'
import type { Candidate, ChainDeps, Fitness, Situation } from './chain/candidate.ts'
import { nextCandidate, type PassOver } from './chain/next-candidate.ts'
import type { Deps } from './deps.ts'
import { type Life, millisecondsInto, type Served } from './stages.ts'
import { tryEntry } from './try-entry.ts'

/** What the walk along the chain has learnt so far. */
interface Walk extends Situation {
  lastFailure: Failure | null
  smallestWaitMs: number | null
  /** The first refusal, and the first provider without a key: what a call gets when nobody was asked. */
  refusal: GatewayError | null
  unconfigured: string | null
}

/**
 * The entries in order, until one serves. Throws the error of the last attempted entry; an entry that was passed over
 * was not attempted.
 */
export async function tryChain({ situation, resolved }: Admission, life: Life, deps: Deps): Promise<Served> {
  const walk = newWalk(situation)
  const note: PassOver = (entry, reason, fitness) => {
    learn(walk, entry, fitness)
    passOver(life, entry, reason)
  }
  let candidate = nextCandidate(walk, 0, deps, note)
  while (candidate !== null) {
    const outcome = await tryEntry(candidate, situation.request, life, deps)
    if (outcome.kind === 'served') return outcome.served
    if (outcome.kind === 'caller-left') throw new CallerLeftError()
    remember(walk, outcome.failure, candidate)
    if (outcome.giveUp) break
    candidate = nextCandidate(walk, candidate.position + 1, deps, note)
  }
  throw errorOf(walk, resolved, life)
}

/** What a call would do now, without calling anyone: where it would go first, or the error it would get. */
export function firstStep(
  situation: Situation,
  deps: ChainDeps,
): { candidate: Candidate | null; passed: ReadonlyMap<ChainEntry, string>; error: GatewayError | null } {
  const walk = newWalk(situation)
  const passed = new Map<ChainEntry, string>()
  const candidate = nextCandidate(walk, 0, deps, (entry, reason, fitness) => {
    learn(walk, entry, fitness)
    passed.set(entry, reason)
  })
  return { candidate, passed, error: candidate === null ? unattemptedError(walk) : null }
}

function newWalk(situation: Situation): Walk {
  return { ...situation, lastFailure: null, smallestWaitMs: null, refusal: null, unconfigured: null }
}

function learn(walk: Walk, entry: ChainEntry, fitness: Fitness): void {
  if (fitness.kind === 'unconfigured') walk.unconfigured ??= entry.provider
  if (fitness.kind === 'refused') walk.refusal ??= new GatewayError(fitness.code, fitness.message)
}

function passOver(life: Life, entry: ChainEntry, reason: string): void {
  life.attempts.push({
    kind: 'skipped',
    provider: entry.provider,
    model: entry.model,
    startedAfterMs: millisecondsInto(life),
    durationMs: 0,
    status: null,
    code: null,
    upstreamRequestId: null,
    reason,
  })
}

function remember(walk: Walk, failure: Failure, candidate: Candidate): void {
  walk.lastFailure = failure
  if (failure.retryAfterMs !== null) {
    walk.smallestWaitMs = Math.min(walk.smallestWaitMs ?? Number.POSITIVE_INFINITY, failure.retryAfterMs)
  }
  if (failure.next === 'larger-window') walk.outgrown = { window: candidate.traits.contextWindow }
}

function errorOf(walk: Walk, resolved: Resolved, life: Life): GatewayError {
  const { lastFailure } = walk
  return lastFailure === null ? unattemptedError(walk) : attemptedError(walk, lastFailure, resolved, life)
}

function unattemptedError({ refusal, unconfigured }: Walk): GatewayError {
  if (refusal !== null) return refusal
  if (unconfigured === null) return new GatewayError('no_provider_available')
  return new GatewayError(
    'provider_not_configured',
    `Provider '${unconfigured}' has no key yet. Set one in the environment or in switchyard.yaml and start again.`,
  )
}

function attemptedError(walk: Walk, failure: Failure, resolved: Resolved, life: Life): GatewayError {
  const { status } = ERRORS[failure.code]
  const waitMs = status === 429 || status === 503 ? walk.smallestWaitMs : null
  const told = waitMs === null ? undefined : toldSeconds(waitMs)
  const asked = waitMs === null ? undefined : Math.ceil(waitMs / 1000)
  const attempts = life.attempts
    .filter((attempt) => attempt.kind === 'called')
    .map(({ provider, model, status: upstreamStatus, code }) => ({ provider, model, status: upstreamStatus, code }))
  return new GatewayError(failure.code, failure.message + prefixHint(failure, resolved, walk), {
    retryAfterSeconds: told,
    details: asked === told ? { attempts } : { attempts, retry_after_seconds: asked },
  })
}

/** A mistyped alias may begin like a direct id and then fails at the provider: say what happened. */
function prefixHint(failure: Failure, resolved: Resolved, walk: Walk): string {
  const [entry] = walk.chain
  if (failure.code !== 'model_not_found' || resolved.alias !== null || entry === undefined) return ''
  return ` ('${entry.model}' is no route alias of this workspace; by its prefix it was sent to provider '${entry.provider}'.)`
}
