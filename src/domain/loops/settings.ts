import { z } from 'zod'
import { LOOP_ACTIONS, LOOP_SIGNALS, RECENT_TOOL_CALLS } from './signals.ts'

const action = z
  .enum(LOOP_ACTIONS)
  .default('alert')
  .describe('`alert`: the calls pass; `slow`: one call per `slow_seconds` passes; `stop`: none until a person resumes')

/** When the calls of a session count as a loop, and what then happens; null (default): nothing is watched. */
export const LoopSettings = z
  .strictObject({
    same_tool_call: z
      .strictObject({ times: z.int().min(2).max(RECENT_TOOL_CALLS), action })
      .optional()
      .describe(`The last tool call of a conversation, so often among its last ${RECENT_TOOL_CALLS}`),
    calls_a_minute: z
      .strictObject({ calls: z.int().min(1).max(100_000), action })
      .optional()
      .describe('More calls of a session than this within a minute'),
    context_growth: z
      .strictObject({
        calls: z.int().min(2).max(1_000),
        tokens: z.int().min(0).max(10_000_000).default(20_000),
        action,
      })
      .optional()
      .describe(
        'So many calls of an agent in a row with more input than the one before, at least `tokens` of it, less than a tenth cached',
      ),
    spend_times_usual: z
      .strictObject({ times: z.number().min(1.1).max(1_000), usd: z.number().min(0.01).max(1_000_000), action })
      .optional()
      .describe(
        'More USD within a minute than `times` what the other sessions of the key usually spend in one, and than `usd`',
      ),
    slow_seconds: z.int().min(1).max(60).default(10),
    stop_minutes: z.int().min(1).max(1_440).default(30).describe('A stop ends after this time, unless it is resumed'),
  })
  .refine((settings) => LOOP_SIGNALS.some((signal) => settings[signal] !== undefined), 'name at least one signal')
export type LoopSettings = z.infer<typeof LoopSettings>

/** As stored, after the schema has accepted it. */
export function loopsFromText(text: string | null): LoopSettings | null {
  return text === null ? null : (JSON.parse(text) as LoopSettings)
}
