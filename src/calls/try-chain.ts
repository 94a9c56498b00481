import { ERRORS, GatewayError } from '../domain/errors.ts'
import type { Failure } from '../domain/failure.ts'
import { toldSeconds } from '../domain/retry-after.ts'
import { CallerLeftError } from '../http/call.ts'
import type { Candidate } from './chain/assess.ts'
import { Walk } from './chain/walk.ts'
import type { Deps } from './deps.ts'
import { CACHE_LOST, noteReason, noteSkipped } from './note-attempt.ts'
import { price } from './price.ts'
import { type Admitted, advance, type Served, type ServedBy } from './stages.ts'
import { type LeftOutcome, tryEntry } from './try-entry.ts'

/** Calls the entries in order until one serves. Throws the error of the last called entry. */
export async function tryChain(call: Admitted, deps: Deps): Promise<Served> {
  const { chain } = call.resolved
  const walk = new Walk(chain, call.fitnesses, deps.circuits, (entry, reason) => noteSkipped(call, entry, reason))
  for (let candidate = walk.next(); candidate !== null; candidate = walk.next()) {
    const outcome = await tryEntry(candidate, call, deps)
    if (outcome.kind === 'served') return advance(call, { served: outcome.served })
    if (outcome.kind === 'caller-left') {
      noteCounted(call, candidate, outcome)
      throw new CallerLeftError()
    }
    walk.failed(outcome.failure, candidate)
    if (outcome.giveUp) break
    if (candidate.entry === call.home) noteReason(call, `${call.attempts.at(-1)?.reason}; ${CACHE_LOST}`)
  }
  const { lastFailure } = walk
  throw lastFailure === null ? walk.unattemptedError() : attemptedError(lastFailure, walk.smallestWaitMs, call)
}

/** The caller left before the first content of a stream: what the provider had counted by then is charged. */
function noteCounted(
  call: Admitted,
  { entry, position, ignored }: Candidate,
  { usage, durationMs }: LeftOutcome,
): void {
  if (usage === null || usage === undefined) return
  const answer = { body: {}, usage: usage.tokens, finishReason: null, warning: null }
  const served: ServedBy = {
    ...{ entry, position, ignored, answer, usage: usage.tokens, upstreamMs: durationMs ?? 0 },
    ...{ usageSource: 'provider_partial', bounds: null },
  }
  price(advance(call, { served }))
}

function attemptedError(failure: Failure, smallestWaitMs: number | null, call: Admitted): GatewayError {
  const { status } = ERRORS[failure.code]
  const waitMs = status === 429 || status === 503 ? smallestWaitMs : null
  const told = waitMs === null ? undefined : toldSeconds(waitMs)
  const asked = waitMs === null ? undefined : Math.ceil(waitMs / 1000)
  const attempts = call.attempts
    .filter((attempt) => attempt.kind === 'called')
    .map(({ provider, model, status: upstreamStatus, code }) => ({ provider, model, status: upstreamStatus, code }))
  return new GatewayError(failure.code, failure.message + prefixHint(failure, call), {
    retryAfterSeconds: told,
    details: asked === told ? { attempts } : { attempts, retry_after_seconds: asked },
    original: failure.original,
  })
}

/** A mistyped alias may look like a direct id and then fails at the provider: say what happened. */
function prefixHint(failure: Failure, { resolved: { alias, chain } }: Admitted): string {
  const [entry] = chain
  if (failure.code !== 'model_not_found' || alias !== null || entry === undefined) return ''
  return ` ('${entry.model}' is not a route alias of this workspace; its prefix selected provider '${entry.provider}'.)`
}
