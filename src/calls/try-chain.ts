import { ERRORS, GatewayError } from '../domain/errors.ts'
import type { Failure } from '../domain/failure.ts'
import { wholeSeconds } from '../domain/retry-after.ts'
import { CallerLeftError } from '../http/call.ts'
import type { Candidate } from './chain/assess.ts'
import { ChainCursor } from './chain/chain-cursor.ts'
import type { Deps } from './deps.ts'
import { loseCounted } from './hedge/lost.ts'
import { tryHedged } from './hedge/try-hedged.ts'
import { noteLeft, noteReason, noteSkipped } from './note-attempt.ts'
import { price } from './price.ts'
import { type Admitted, advance, type Served, type ServedBy } from './stages.ts'
import { type LeftOutcome, tryEntry } from './try-entry.ts'
import { confirmPart, isCovered, NOT_COVERED } from './unconfirmed.ts'

/** Calls the entries in order until one serves. Throws the error of the last called entry. */
export async function tryChain(call: Admitted, deps: Deps): Promise<Served> {
  const { chain } = call.resolved
  const cursor = new ChainCursor(chain, call.fitnesses, deps.circuits, (entry, reason) =>
    noteSkipped(call, entry, reason),
  )
  for (let next = cursor.next(); next !== null; next = cursor.next()) {
    const isHedged = call.mayHedge && next.entry.hedgeAfterMs !== null
    const { candidate, outcome, other } = isHedged
      ? await tryHedged(next, cursor, call, deps)
      : { candidate: next, outcome: await tryEntry(next, call, deps), other: null }
    if (outcome.kind === 'served') {
      const served = advance<Served>(call)
      served.served = outcome.served
      if (other !== null) chargeLeft(other, call, deps)
      // Of a stream it is ended with the stream.
      if (call.delivery === null) await call.lost?.end()
      return served
    }
    if (outcome.kind === 'caller-left') {
      noteCounted(call, [{ candidate, outcome }, ...(other === null ? [] : [other])], deps)
      throw new CallerLeftError()
    }
    cursor.failed(outcome.failure, candidate)
    if (outcome.giveUp) break
    if (!(await isCovered(call, deps))) {
      noteReason(call.attempts.at(-1), NOT_COVERED)
      break
    }
    noteLeft(call, candidate.entry)
  }
  const { lastFailure } = cursor
  throw lastFailure === null ? cursor.unattemptedError() : attemptedError(lastFailure, cursor.smallestWaitMs, call)
}

/** An entry that was in progress when the caller left. */
interface Abandoned {
  candidate: Candidate
  outcome: LeftOutcome
}

/** The caller left before the first content of a stream: what the providers had counted so far is charged. */
function noteCounted(call: Admitted, left: readonly Abandoned[], deps: Deps): void {
  const [first, second] = left.filter(({ outcome: { usage, attempt } }) => usage != null && attempt !== undefined)
  const { usage: counted, attempt } = first?.outcome ?? {}
  if (first === undefined || counted == null || attempt === undefined) return
  const { entry, position, ignored } = first.candidate
  const answer = { body: {}, usage: counted.tokens, finishReason: null, warning: null }
  const served: ServedBy = {
    ...{ entry, position, ignored, answer, usage: counted.tokens, upstreamMs: attempt.durationMs, attempt },
    ...PARTLY,
  }
  const charged = advance<Served>(call)
  charged.served = served
  if (second !== undefined) chargeLeft(second, call, deps)
  confirmPart(attempt, price(charged).cost, false)
}

const PARTLY = { usageSource: 'provider_partial', bounds: null } as const

/** The second of two that were asked. */
function chargeLeft({ candidate, outcome: { usage, attempt } }: Abandoned, call: Admitted, deps: Deps): void {
  if (usage == null || attempt === undefined) return
  loseCounted(candidate, attempt, { usage: usage.tokens, ...PARTLY }, call, deps)
}

function attemptedError(failure: Failure, smallestWaitMs: number | null, call: Admitted): GatewayError {
  const { status } = ERRORS[failure.code]
  const waitMs = status === 429 || status === 503 ? smallestWaitMs : null
  const shown = waitMs === null ? undefined : wholeSeconds(waitMs)
  const asked = waitMs === null ? undefined : Math.ceil(waitMs / 1000)
  const attempts = call.attempts
    .filter((attempt) => attempt.kind === 'called')
    .map(({ provider, model, status: upstreamStatus, code }) => ({ provider, model, status: upstreamStatus, code }))
  const { message, kept, param, providerCode } = failure
  const hint = prefixHint(failure, call)
  return new GatewayError(
    failure.code,
    { text: message + hint, kept, param },
    {
      providerCode,
      retryAfterSeconds: shown,
      details: asked === shown ? { attempts } : { attempts, retry_after_seconds: asked },
      original: failure.original,
      ...(call.endpoint.asksOnce === true && failure.retry === 'never' && { isFinal: true }),
    },
  )
}

/** A mistyped alias may look like a direct id and then fails at the provider: say what happened. */
function prefixHint(failure: Failure, { resolved: { alias, chain } }: Admitted): string {
  const [entry] = chain
  if (failure.code !== 'model_not_found' || alias !== null || entry === undefined) return ''
  return ` ('${entry.model}' is not a route alias of this workspace; its prefix selected provider '${entry.provider}'.)`
}
