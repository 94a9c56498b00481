import { z } from 'zod'

/** What is found by rules of our own (redactions.ts). */
export const REDACTIONS = ['secret', 'card', 'iban', 'email', 'phone', 'ip'] as const
export type Redaction = (typeof REDACTIONS)[number]

export const DEFAULT_RETENTION_DAYS = 7
const DEFAULT_REDACTIONS: readonly Redaction[] = ['secret', 'card']

/** Whether and how a workspace stores what its calls say; null is the default: nothing of it is written anywhere. */
export const ContentSettings = z.strictObject({
  retention_days: z
    .int()
    .min(1)
    .max(365)
    .default(DEFAULT_RETENTION_DAYS)
    .describe('Deleted after so many days; a shorter time also applies to what is stored'),
  redact: z
    .array(z.enum(REDACTIONS))
    .max(REDACTIONS.length)
    .default([...DEFAULT_REDACTIONS])
    .describe('What is replaced before anything is written'),
  patterns: z
    .array(
      z.strictObject({
        name: z
          .string()
          .regex(/^[a-z][a-z0-9_-]{0,31}$/, 'a name is 1 to 32 of lower-case letters, digits and _ -')
          .describe('Replaces a match, as `[redacted:NAME]`'),
        regex: z.string().min(1).max(500).describe('In the syntax of RE2: no lookaround, no backreferences'),
      }),
    )
    .max(20)
    .default([])
    .describe('Further patterns that are replaced'),
})
export type ContentSettings = z.infer<typeof ContentSettings>

/** As stored, after the schema has accepted it. */
export function contentFromText(text: string | null): ContentSettings | null {
  return text === null ? null : (JSON.parse(text) as ContentSettings)
}
