import { NO_ATTRIBUTION } from '../../domain/attribution.ts'
import { joined } from '../../domain/byte-pieces.ts'
import { GatewayError } from '../../domain/errors.ts'
import { NO_USAGE } from '../../domain/pricing/usage.ts'
import { withoutSecrets } from '../../domain/provider.ts'
import { passedFields } from '../../domain/request/passthrough.ts'
import { type ChainEntry, DEFAULT_TIMEOUT_MS } from '../../domain/route.ts'
import { namesInHeaders } from '../../endpoints/call-names.ts'
import { type AnyReply, type Call, CallerLeftError } from '../../http/call.ts'
import { asGatewayError, errorReply } from '../../http/respond.ts'
import { holdOfTerms } from '../../limits/chain-hold.ts'
import { addRateHeaders } from '../../limits/headers.ts'
import { holdTerms } from '../../limits/hold.ts'
import { payerOf } from '../../limits/payer.ts'
import { type Authorized, authorize } from '../../providers/authorize.ts'
import type { Family } from '../../providers/family.ts'
import type { Stoppage } from '../../upstream/exchange.ts'
import type { UpstreamAnswer } from '../../upstream/streamed-response.ts'
import { opened } from '../admit.ts'
import { asHolder } from '../attribution/as-holder.ts'
import { attributedTo } from '../attribution/attributed-to.ts'
import { authenticate } from '../authenticate.ts'
import { failureOfBreakdown } from '../breakdown.ts'
import type { Deps } from '../deps.ts'
import { costText } from '../gateway-fields.ts'
import { enter, release } from '../handle-call.ts'
import { price } from '../price.ts'
import { settle } from '../settle.ts'
import {
  type Admitted,
  advance,
  type Begun,
  type Ended,
  millisecondsInto,
  type Received,
  type Served,
} from '../stages.ts'
import { type Passed, passedTo } from './destination.ts'
import { PASSED, PASSTHROUGH, Passage } from './passage.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/**
 * A call that goes to a provider as it is: the key's limits, the provider's credentials and a row, and nothing is read,
 * translated or sent elsewhere. The row is open before anything is sent, and complete before the last bytes go out.
 */
export async function handlePassthrough(call: Call, deps: Deps): Promise<AnyReply | null> {
  const method = METHODS.find((each) => each === call.method)
  if (call.header('upgrade') !== undefined) throw new GatewayError('websocket_not_offered')
  if (method === undefined) throw new GatewayError('method_not_allowed', `/passthrough takes ${METHODS.join(', ')}.`)
  const begun = await enter(call, PASSTHROUGH, authenticate, deps)
  deps.metrics.inFlight.add()
  const ended: Ended = { call: begun, error: null }
  try {
    const to = passedTo(call.url ?? '', begun.key, begun.snapshot)
    const passage = new Passage(to.provider.name)
    begun.aspects = [passage]
    const body = joined(await call.readBody(deps.maxBodyBytes, begun.key.id))
    passage.requestBytes = body.length
    const entry = await admitPassed(begun, to, deps)
    const answer = await ask(
      call,
      { method, body: body.length === 0 ? null : body },
      to,
      entry,
      begun as Admitted,
      deps,
    )
    passage.status = answer.status
    return replyOf(answer, passage, to, ended, deps)
  } catch (error) {
    const known = error instanceof CallerLeftError ? 'caller-left' : asGatewayError(error)
    // Its beginning could not be written: nothing was sent.
    if (known !== 'caller-left' && known.code === 'log_full') {
      release(begun, deps)
      throw known
    }
    ended.error = known
    const headers: Record<string, string> = {}
    addRateHeaders(headers, payerOf(begun.key, begun.snapshot), deps.ledger)
    const reply = known === 'caller-left' ? null : errorReply(known, headers)
    try {
      await settle(ended, reply, deps)
    } finally {
      release(begun, deps)
    }
    return reply
  }
}

/** Holds the price of a call, if there is one, and opens the row. */
async function admitPassed(begun: Begun, { provider }: Passed, deps: Deps): Promise<ChainEntry> {
  const { key, snapshot, receiver, id } = begun
  const said = attributedTo(namesInHeaders(receiver, deps.roots, key.id), NO_ATTRIBUTION, snapshot)
  const received = advance<Received>(begun)
  received.attribution = key.holder === undefined ? said : asHolder(said, key.holder)
  const entry: ChainEntry = {
    ...{ provider: provider.name, model: PASSED, timeoutMs: DEFAULT_TIMEOUT_MS, idleTimeoutMs: null, retries: 0 },
    ...{ maxOutputTokens: null, hedgeAfterMs: null, defaults: null },
  }
  const terms = holdTerms({
    promptTokens: 0,
    bounds: { outputTokens: 0, answers: 1, units: [{ name: PASSED, most: 1 }] },
    price: snapshot.registry.get(provider.name)?.get(PASSED)?.price,
    contextWindow: null,
    maxOutputTokens: 0,
  })
  const hold = holdOfTerms([{ entry, position: 0, terms }])
  const decision = await deps.ledger.admit(payerOf(key, snapshot, received.attribution), hold, id)
  await opened(begun as Parameters<typeof opened>[0], { decision, hold, fitnesses: [] }, deps)
  return entry
}

interface Sent {
  method: (typeof METHODS)[number]
  body: Buffer | null
}

/** Throws where there is no answer. */
async function ask(
  call: Call,
  { method, body }: Sent,
  { provider, target }: Passed,
  entry: ChainEntry,
  admitted: Admitted,
  deps: Deps,
): Promise<UpstreamAnswer> {
  const family = deps.families.get(provider.family) as Family
  const own = family.modelsTarget(provider, null)
  const key = PASSTHROUGH.keyOf(call)
  if (target.includes(key))
    throw new GatewayError('invalid_request', 'Send the gateway key in a header, not in the query.')
  const { 'content-type': _type, accept: _accept, ...credentials } = own.headers
  const headers = {
    ...passedFields(call.headers(), (value) => value.includes(key)),
    ...credentials,
    ...lower(provider.headers),
  }
  const url = new URL(own.url).origin + target
  const began = performance.now()
  const place = await authorize({ ...own, url, headers, method, body }, provider, family, deps)
  const raw =
    'kind' in place
      ? place
      : await deps.upstream.call(place as Authorized, {
          method,
          body,
          timeoutMs: entry.timeoutMs,
          presence: call.presence,
        })
  const failed = raw.kind === 'answer' || raw.kind === 'caller-left' ? null : failureOfBreakdown(raw)
  admitted.externalMs += performance.now() - began
  const startedAfterMs = millisecondsInto(admitted, began)
  admitted.attempts.push({
    kind: 'called',
    provider: provider.name,
    model: PASSED,
    startedAfterMs,
    durationMs: millisecondsInto(admitted) - startedAfterMs,
    status: raw.kind === 'answer' ? raw.status : null,
    code: failed?.code ?? (raw.kind === 'caller-left' ? 'caller_left' : null),
    upstreamRequestId: null,
    reason: failed === null ? 'passed through' : '',
  })
  const isPaid =
    raw.kind === 'answer'
      ? raw.status < 400
      : raw.kind === 'caller-left' || (raw.kind === 'broken' && raw.sent) || raw.kind === 'timeout'
  if (isPaid) charge(admitted, entry)
  if (raw.kind === 'answer') return raw
  if (failed === null) throw new CallerLeftError()
  throw cutBy(raw as Stoppage)
}

/** Whatever may have been worked on is paid. */
function charge(admitted: Admitted, entry: ChainEntry): void {
  const usage = { ...NO_USAGE, uses: { [PASSED]: 1 } }
  const attempt = admitted.attempts.at(-1)
  if (attempt === undefined) return
  const served = advance<Served>(admitted)
  const answer = { body: {}, usage, finishReason: null, warning: null }
  served.served = {
    ...{ entry, position: 0, answer, usage, usageSource: 'provider', bounds: null, ignored: [], attempt },
    upstreamMs: attempt.durationMs,
  }
  price(served)
}

function lower(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

function replyOf(answer: UpstreamAnswer, passage: Passage, { provider }: Passed, ended: Ended, deps: Deps): AnyReply {
  const { call } = ended
  const hasSecret = (value: string) => withoutSecrets(value, provider) !== value
  const headers: Record<string, string> = {
    ...passedFields(answer.headers.entries(), hasSecret),
    'x-gateway-provider': provider.name,
    'x-gateway-cost-usd': costText(call.cost),
  }
  addRateHeaders(headers, payerOf(call.key, call.snapshot), deps.ledger)
  const finish = finisher(passage, ended, deps)
  // The pieces may never be asked for.
  call.presence.onLeave(() => void finish('caller-left').catch((err) => deps.log.error({ request: call.id, err })))
  return { status: answer.status, headers, pieces: pieces(answer, passage, finish) }
}

type Finish = (error: Ended['error']) => Promise<void>

/** Writes the row once, with whatever came first. */
function finisher(passage: Passage, ended: Ended, deps: Deps): Finish {
  let written: Promise<void> | null = null
  return (error) => {
    if (written !== null) return written
    ended.error = error
    const reply = error === null ? { status: passage.status, headers: {}, body: '' } : null
    written = settle(ended, reply, deps).finally(() => release(ended.call, deps))
    return written
  }
}

/** The last piece waits for the row. An answer that was cut is cut for the caller, too. */
async function* pieces(answer: UpstreamAnswer, passage: Passage, finish: Finish): AsyncIterable<Uint8Array> {
  let hasEnded = false
  try {
    let held: Buffer | null = null
    for (;;) {
      const part = await answer.next()
      if (part.kind === 'piece') {
        passage.responseBytes += part.bytes.length
        if (held !== null) yield held
        held = part.bytes
        continue
      }
      hasEnded = true
      if (part.kind !== 'end') throw part.kind === 'caller-left' ? new CallerLeftError() : cutBy(part)
      await finish(null)
      if (held !== null) yield held
      return
    }
  } catch (error) {
    await finish(error instanceof CallerLeftError ? 'caller-left' : asGatewayError(error))
    throw error
  } finally {
    if (!hasEnded) answer.abort({ kind: 'caller-left' })
    await finish('caller-left')
  }
}

function cutBy(stoppage: Stoppage): GatewayError {
  const { code, message, kept } = failureOfBreakdown(stoppage)
  return new GatewayError(code, { text: message, kept, param: null })
}
