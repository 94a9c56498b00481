import type { ChatRequest } from '../domain/chat.ts'
import { ERRORS, GatewayError } from '../domain/errors.ts'
import type { Failure } from '../domain/failure.ts'
import { isLargerWindow } from '../domain/fallback.ts'
import { isConfigured } from '../domain/provider.ts'
import type { ChainEntry, Resolved } from '../domain/route.ts'
import { CallerLeftError } from '../http/call.ts'
import type { Deps } from './deps.ts'
import type { Life, Served } from './life.ts'
import { type Candidate, traitsOf, tryEntry } from './try-entry.ts'

/** What the walk along the chain has learnt so far. */
interface Walk {
  request: ChatRequest
  chain: readonly ChainEntry[]
  lastFailure: Failure | null
  smallestWaitMs: number | null
  /** The prompt was too long for this window: only a larger one can help. */
  outgrown: { window: number | null } | null
  refusal: GatewayError | null
  unconfigured: string | null
}

/**
 * The entries in order, until one serves. Throws the error of the last attempted entry; an entry that was passed over
 * was not attempted. The last usable entry is always tried, whatever its circuit says.
 */
export async function tryChain(request: ChatRequest, resolved: Resolved, life: Life, deps: Deps): Promise<Served> {
  const walk: Walk = {
    request,
    chain: resolved.chain,
    lastFailure: null,
    smallestWaitMs: null,
    outgrown: null,
    refusal: null,
    unconfigured: null,
  }
  for (let position = 0; position < walk.chain.length; position++) {
    const candidate = usable(walk, position, life, deps, true)
    if (candidate === null) continue
    if (deps.circuits.isSkipped(candidate.entry) && hasUsableAfter(walk, position, life, deps)) {
      passOver(life, candidate.entry, 'skipped: it has been failing or asked to be left alone')
      continue
    }
    const outcome = await tryEntry(candidate, request, life, deps)
    if (outcome.kind === 'served') return outcome.served
    if (outcome.kind === 'caller-left') throw new CallerLeftError()
    remember(walk, outcome.failure, candidate)
    if (outcome.giveUp) break
  }
  throw errorOf(walk, resolved, life)
}

/** The entry if it can serve this request at all; `note` writes down why not. */
function usable(walk: Walk, position: number, life: Life, deps: Deps, note: boolean): Candidate | null {
  const entry = walk.chain[position]
  if (entry === undefined) return null
  const provider = life.snapshot.providers.get(entry.provider)
  const family = provider === undefined ? undefined : deps.families.get(provider.family)
  if (provider === undefined || family === undefined || !isConfigured(provider)) {
    if (note) {
      walk.unconfigured ??= entry.provider
      passOver(life, entry, `skipped: provider '${entry.provider}' is not configured`)
    }
    return null
  }
  const traits = traitsOf(entry, life.snapshot, deps)
  if (walk.outgrown !== null && !isLargerWindow(traits.contextWindow, walk.outgrown.window)) {
    if (note) passOver(life, entry, 'skipped: its window is not known to be larger')
    return null
  }
  const translation = family.toWire(walk.request, { model: entry.model, traits })
  if (translation.kind !== 'wire') {
    const code = translation.kind === 'invalid' ? 'invalid_request' : translation.code
    // A mistake ends the call, unless another family has taken the request already: then that one's error counts.
    if (note && translation.kind === 'invalid' && walk.lastFailure === null) {
      throw new GatewayError(code, translation.message)
    }
    if (note) {
      walk.refusal ??= new GatewayError(code, translation.message)
      passOver(life, entry, `skipped: ${translation.message}`)
    }
    return null
  }
  return { entry, position, provider, family, traits, wire: translation.body, ignored: translation.ignored }
}

function hasUsableAfter(walk: Walk, position: number, life: Life, deps: Deps): boolean {
  for (let later = position + 1; later < walk.chain.length; later++) {
    if (usable(walk, later, life, deps, false) !== null) return true
  }
  return false
}

function passOver(life: Life, entry: ChainEntry, reason: string): void {
  life.attempts.push({
    kind: 'skipped',
    provider: entry.provider,
    model: entry.model,
    startedAfterMs: Math.round(performance.now() - life.startedTick),
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
  const { lastFailure, refusal, unconfigured } = walk
  if (lastFailure !== null) return attemptedError(walk, lastFailure, resolved, life)
  if (refusal !== null) return refusal
  if (unconfigured === null) return new GatewayError('no_provider_available')
  return new GatewayError(
    'provider_not_configured',
    `Provider '${unconfigured}' has no key yet. Set one in the environment or in switchyard.yaml and start again.`,
  )
}

function attemptedError(walk: Walk, failure: Failure, resolved: Resolved, life: Life): GatewayError {
  const { status } = ERRORS[failure.code]
  const mayWait = status === 429 || status === 503
  const attempts = life.attempts
    .filter((attempt) => attempt.kind === 'called')
    .map(({ provider, model, status: upstreamStatus, code }) => ({ provider, model, status: upstreamStatus, code }))
  return new GatewayError(failure.code, failure.message + prefixHint(failure, resolved, walk), {
    retryAfterSeconds: mayWait && walk.smallestWaitMs !== null ? Math.ceil(walk.smallestWaitMs / 1000) : undefined,
    details: { attempts },
  })
}

/** A mistyped alias may begin like a direct id and then fails at the provider: say what happened. */
function prefixHint(failure: Failure, resolved: Resolved, walk: Walk): string {
  const [entry] = walk.chain
  if (failure.code !== 'model_not_found' || resolved.alias !== null || entry === undefined) return ''
  return ` ('${entry.model}' is no route alias of this workspace; by its prefix it was sent to provider '${entry.provider}'.)`
}
