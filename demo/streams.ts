import type { Random } from '../simulator/random.ts'
import { whyOf } from '../src/calls/why.ts'
import { GatewayError } from '../src/domain/errors.ts'
import { costOf, type Price } from '../src/domain/pricing/price.ts'
import { worded } from '../src/domain/wording/worded.ts'
import type { CloseRecord } from '../src/request-log/record.ts'

/** A served call as a stream: most finish, a few are cut by the provider or left by their caller. */
export function streamed(record: CloseRecord, price: Price | null, random: Random): CloseRecord {
  const attempt = record.attempts.at(-1)
  if (attempt === undefined || record.usage === null) return { ...record, streamed: true }
  const firstMs = Math.round(attempt.durationMs * (0.15 + 0.3 * random()))
  const events = record.usage.output - record.usage.reasoning + 2
  const stream = {
    streamed: true,
    firstContentMs: attempt.startedAfterMs + firstMs,
    ended: 'finished',
    eventsSent: events,
    usageSource: 'provider',
  }
  const luck = random()
  if (luck > 0.06) return { ...record, ...stream }
  return cut({ ...record, ...stream }, luck < 0.02 ? 'failed_mid_stream' : 'caller_left', { firstMs, price, random })
}

const CUT = new GatewayError(
  'upstream_error',
  worded`The provider closed the connection before its answer was complete.`,
)

interface Cut {
  /** Of the last attempt. */
  firstMs: number
  price: Price | null
  random: Random
}

/** Ends in the middle: the input is what the provider said at the start, the output what was sent until then. */
function cut(
  record: CloseRecord,
  ended: 'failed_mid_stream' | 'caller_left',
  { firstMs, price, random }: Cut,
): CloseRecord {
  const share = 0.2 + 0.6 * random()
  const whole = record.attempts.at(-1)?.durationMs ?? 0
  const durationMs = firstMs + Math.round((whole - firstMs) * share)
  const usage = { ...record.usage, output: Math.ceil(record.eventsSent * share), reasoning: 0 } as NonNullable<
    CloseRecord['usage']
  >
  const cost = (output: number) => (price === null ? null : (costOf({ ...usage, output }, price)?.toString() ?? null))
  const code = ended === 'caller_left' ? ('caller_left' as const) : ('upstream_error' as const)
  const reason = ended === 'caller_left' ? 'the caller left' : 'upstream_error: the stream ended before its last event'
  return {
    ...record,
    attempts: record.attempts.map((attempt, index) =>
      index < record.attempts.length - 1
        ? attempt
        : {
            ...attempt,
            durationMs,
            code,
            reason,
            ...(code === 'upstream_error' && { phase: 'after_content' as const }),
          },
    ),
    finishedAt: record.finishedAt - whole + durationMs,
    upstreamMs: durationMs,
    status: ended === 'caller_left' ? 499 : 200,
    code,
    ...(code === 'upstream_error' && whyOf(CUT)),
    ended,
    eventsSent: Math.ceil(record.eventsSent * share),
    finishReason: null,
    usage,
    usageSource: 'provider_partial',
    costPicodollars: cost(usage.output),
    costLeastPicodollars: cost(0),
    costMostPicodollars: price === null ? null : record.holdPicodollars,
    responseBytes: Math.round(record.responseBytes * share),
  }
}
