import { ERRORS, GatewayError } from '../domain/errors.ts'
import type { Failure } from '../domain/failure.ts'
import { toldSeconds } from '../domain/retry-after.ts'
import { CallerLeftError } from '../http/call.ts'
import type { Candidate } from './chain/assess.ts'
import { Walk } from './chain/walk.ts'
import type { Deps } from './deps.ts'
import { loseCounted } from './hedge/lost.ts'
import { tryHedged } from './hedge/try-hedged.ts'
import { noteLeft, noteSkipped } from './note-attempt.ts'
import { price } from './price.ts'
import { type Admitted, advance, type Served, type ServedBy } from './stages.ts'
import { type LeftOutcome, tryEntry } from './try-entry.ts'

/** Calls the entries in order until one serves. Throws the error of the last called entry. */
export async function tryChain(call: Admitted, deps: Deps): Promise<Served> {
  const { chain } = call.resolved
  const walk = new Walk(chain, call.fitnesses, deps.circuits, (entry, reason) => noteSkipped(call, entry, reason))
  for (let next = walk.next(); next !== null; next = walk.next()) {
    const isHedged = call.mayHedge && next.entry.hedgeAfterMs !== null
    const { candidate, outcome, other } = isHedged
      ? await tryHedged(next, walk, call, deps)
      : { candidate: next, outcome: await tryEntry(next, call, deps), other: null }
    if (outcome.kind === 'served') {
      const served = advance(call, { served: outcome.served })
      // Of a stream it is ended with the stream.
      if (call.delivery === null) await call.lost?.end()
      return served
    }
    if (outcome.kind === 'caller-left') {
      noteCounted(call, [{ candidate, outcome }, ...(other === null ? [] : [other])], deps)
      throw new CallerLeftError()
    }
    walk.failed(outcome.failure, candidate)
    if (outcome.giveUp) break
    noteLeft(call, candidate.entry, call.attempts.at(-1))
  }
  const { lastFailure } = walk
  throw lastFailure === null ? walk.unattemptedError() : attemptedError(lastFailure, walk.smallestWaitMs, call)
}

/** The caller left before the first content of a stream: what the providers had counted by then is charged. */
function noteCounted(
  call: Admitted,
  left: readonly { candidate: Candidate; outcome: LeftOutcome }[],
  deps: Deps,
): void {
  const counted = left.flatMap(({ candidate, outcome: { usage = null, attempt } }) =>
    usage === null || attempt === undefined ? [] : [{ candidate, usage: usage.tokens, attempt }],
  )
  const [first, second] = counted
  if (first === undefined) return
  const { entry, position, ignored } = first.candidate
  const { usage, attempt } = first
  const answer = { body: {}, usage, finishReason: null, warning: null }
  const use = { usageSource: 'provider_partial', bounds: null } as const
  const served: ServedBy = { entry, position, ignored, answer, usage, upstreamMs: attempt.durationMs, attempt, ...use }
  const charged = advance(call, { served })
  if (second !== undefined) loseCounted(second.candidate, second.attempt, { ...use, usage: second.usage }, call, deps)
  price(charged)
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
