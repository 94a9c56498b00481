import { newId } from '../src/domain/new-id.ts'
import { NO_USAGE } from '../src/domain/pricing/usage.ts'
import { type AttemptRecord, BLANK_RECORD, type CloseRecord, type OpenRecord } from '../src/request-log/record.ts'

export interface CallRecords {
  open: OpenRecord
  close: CloseRecord
}

const KEYS = 5
const ROUTES = 3
/** Every so many calls fail. */
const FAILING = 25
/** Every so many calls are served by the second entry. */
const FALLING_BACK = 33

/** What the gateway would log of a call: of five keys and three routes, through two providers, some without success. */
export function callRecords(number: number, now: number): CallRecords {
  const fails = number % FAILING === 7
  const falls = !fails && number % FALLING_BACK === 5
  const id = `chatcmpl_${newId(now)}`
  const route = `route-${number % ROUTES}`
  const tokens = 200 + ((number * 7_919) % 4_000)
  const output = (number * 104_729) % 900
  const upstreamMs = 40 + ((number * 31) % 1_500)
  const open: OpenRecord = {
    id,
    workspace: 'default',
    keyId: `01kkkkkkkkkkkkkkkkkkkkkkk${number % KEYS}`,
    startedAt: now,
    requestedModel: route,
    route,
    holdPicodollars: String(25_000_000_000 + tokens * 2_500_000),
    holdTokens: 4_096 + tokens,
    idempotencyKey: null,
    bodyHash: null,
  }
  const served = attempt(number % 2, falls ? 120 : 1, upstreamMs, fails)
  const close: CloseRecord = {
    ...BLANK_RECORD,
    ...open,
    finishedAt: now + upstreamMs,
    status: fails ? 502 : 200,
    code: fails ? 'upstream_error' : null,
    provider: served.provider,
    model: served.model,
    fallback: falls,
    attempts: falls ? [attempt((number + 1) % 2, 1, 119, true), served] : [served],
    usage: fails ? null : { ...NO_USAGE, input: tokens, output },
    finishReason: fails ? null : 'stop',
    costPicodollars: fails ? null : String(tokens * 2_500_000 + output * 15_000_000),
    priceVersion: fails ? null : 17,
    upstreamMs: fails ? null : upstreamMs,
    gatewayMicroseconds: 180 + ((number * 13) % 400),
    requestBytes: 1_100,
    responseBytes: 720,
  }
  return { open, close }
}

function attempt(place: number, startedAfterMs: number, durationMs: number, fails: boolean): AttemptRecord {
  return {
    kind: 'called',
    provider: place === 0 ? 'first' : 'second',
    model: `a-model-of-some-length-${place}`,
    startedAfterMs,
    durationMs,
    status: fails ? 503 : 200,
    code: fails ? 'upstream_error' : null,
    upstreamRequestId: 'req_0123456789abcdef0123456789abcdef',
    reason: fails ? 'the next entry: upstream_error' : 'served',
  }
}
