import { z } from 'zod'
import { type Snapshot, streamingText } from '../domain/snapshot.ts'
import type { StreamSettings } from '../domain/stream-settings.ts'

/** Longer timers overflow in Node and fire at once. */
const LONGEST_SECONDS = 86_400

const seconds = (least: number) => {
  const words = `seconds from ${least} to ${LONGEST_SECONDS}, with at most three decimals`
  return z
    .string()
    .regex(/^\d{1,5}(\.\d{1,3})?$/, words)
    .transform(Number)
    .refine((value) => value >= least && value <= LONGEST_SECONDS, words)
}

export const STREAM_VARIABLES = {
  STREAMING: z.enum(['on', 'off']).default('off'),
  STREAM_HOLD_HEADERS_SECONDS: seconds(0).default(15),
  STREAM_KEEP_ALIVE_SECONDS: seconds(0.001).default(15),
  STREAM_IDLE_SECONDS: seconds(0.001).default(120),
  STREAM_PAYLOAD_IDLE_SECONDS: seconds(0.001).default(300),
  STREAM_TOTAL_SECONDS: seconds(0.001).default(3_600),
  STREAM_SLOW_READER_SECONDS: seconds(0.001).default(60),
  STREAM_DRAIN_SECONDS: seconds(0).default(60),
  STREAM_DRAINS: z
    .string()
    .regex(/^\d{1,5}$/, 'a whole number from 0 to 99999')
    .transform(Number)
    .default(16),
} as const

const StreamVariables = z.object(STREAM_VARIABLES)

export function streamSettings(variables: z.infer<typeof StreamVariables>): StreamSettings {
  const milliseconds = (value: number) => Math.round(value * 1_000)
  const holdHeadersMs = milliseconds(variables.STREAM_HOLD_HEADERS_SECONDS)
  return {
    isOnByDefault: variables.STREAMING === 'on',
    holdHeadersMs: holdHeadersMs === 0 ? null : holdHeadersMs,
    keepAliveMs: milliseconds(variables.STREAM_KEEP_ALIVE_SECONDS),
    idleMs: milliseconds(variables.STREAM_IDLE_SECONDS),
    payloadIdleMs: milliseconds(variables.STREAM_PAYLOAD_IDLE_SECONDS),
    totalMs: milliseconds(variables.STREAM_TOTAL_SECONDS),
    slowReaderMs: milliseconds(variables.STREAM_SLOW_READER_SECONDS),
    drainMs: milliseconds(variables.STREAM_DRAIN_SECONDS),
    drains: variables.STREAM_DRAINS,
  }
}

/** For the log of the start: which workspaces stream. */
export function streamingWords({ workspaces }: Snapshot, { isOnByDefault }: StreamSettings): string {
  const words = [...workspaces.values()].map(({ name, streaming }) => [name, streaming] as const)
  return streamingText(words, isOnByDefault)
}
