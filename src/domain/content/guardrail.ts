import { z } from 'zod'
import { baseUrlProblem } from '../base-url.ts'

/** An external check of prompts and answers; null (default): none. */
export const GuardrailSettings = z.strictObject({
  url: z
    .string()
    .max(2000)
    .superRefine((value, context) => {
      const problem = baseUrlProblem(value)
      if (problem !== null) context.addIssue({ code: 'custom', message: problem })
    })
    .describe('Asked by POST; the same addresses are refused as for providers'),
  before: z.boolean().default(true).describe('Check the request before any provider is called'),
  after: z
    .boolean()
    .default(false)
    .describe('Check whole answers before the caller gets them; the calls of the workspace then do not stream'),
  timeout_ms: z.int().min(50).max(30_000).default(2_000),
  on_failure: z
    .enum(['closed', 'open'])
    .default('closed')
    .describe('Without a usable verdict in time: `closed` refuses the call with 503, `open` lets it pass'),
})
export type GuardrailSettings = z.infer<typeof GuardrailSettings>

/** As calls use it. */
export interface Guardrail extends GuardrailSettings {
  /** `whsec_…`: each signs, so that the receiver may know either while SECRETS_KEY is changed. */
  secrets: readonly string[]
}

/** As stored, after the schema has accepted it. */
export function guardrailFromText(text: string | null): GuardrailSettings | null {
  return text === null ? null : (JSON.parse(text) as GuardrailSettings)
}

/** What its secret is derived for. */
export function guardrailContext(workspace: string): string {
  return `guardrail of the workspace "${workspace}"`
}
