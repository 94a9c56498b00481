import { z } from 'zod'
import { shiftedDecimal } from '../domain/pricing/lists/exact-decimal.ts'
import type { JsonObject } from '../domain/request/call-request.ts'
import { ShapeError, wrongField } from './errors.ts'

const text = z.string().max(2_000).nullish()
const texts = z.array(z.string().max(500)).nullish()

/** Some tools send numbers as text. */
const whole = z
  .union([z.int(), z.string().regex(/^\d{1,15}$/, 'a whole number')])
  .transform(Number)
  .nullish()

/** A decimal, whether it was sent as a number or as text. */
const usd = z
  .union([z.string(), z.number()])
  .transform((value, context) => {
    const decimal = shiftedDecimal(value, 0)
    if (decimal === null) context.addIssue('an amount in USD, not negative')
    return decimal ?? z.NEVER
  })
  .nullish()

const limits = {
  max_budget: usd,
  budget_duration: text,
  tpm_limit: whole,
  rpm_limit: whole,
  max_parallel_requests: whole,
}

const metadata = z.record(z.string(), z.unknown()).nullish()

/** What a key can be given. Null clears; what is not here is ignored, unless it restricts. */
export const KeyFields = z.object({
  ...limits,
  soft_budget: usd,
  key_alias: text,
  duration: text,
  models: texts,
  team_id: text,
  user_id: text,
  metadata,
  tags: texts,
  blocked: z.boolean().nullish(),
  key: text,
  key_type: text,
})
export type KeyFields = z.infer<typeof KeyFields>

export const TeamFields = z.object({
  ...limits,
  team_id: text,
  team_alias: text,
  models: texts,
  metadata,
  tags: texts,
  blocked: z.boolean().nullish(),
})
export type TeamFields = z.infer<typeof TeamFields>

export type LimitFields = Pick<KeyFields, keyof typeof limits | 'soft_budget'>

/** They restrict what a key or team may do, and we have no counterpart: left out silently, they would allow more. */
const RESTRICTING = [
  ...['model_max_budget', 'budget_limits', 'budget_id', 'model_rpm_limit', 'model_tpm_limit', 'allowed_routes'],
  ...['allowed_cache_controls', 'allowed_passthrough_routes', 'allowed_vector_store_indexes', 'enforced_params'],
  ...['guardrails', 'policies', 'prompts', 'permissions', 'object_permission', 'access_group_ids', 'aliases', 'config'],
  ...['organization_id', 'project_id', 'agent_id', 'router_settings', 'budget_fallbacks', 'model_aliases'],
  ...[
    'team_member_budget',
    'team_member_rpm_limit',
    'team_member_tpm_limit',
    'members_with_roles',
    'members',
    'admins',
  ],
]
/** The same inside `metadata`, where LiteLLM also looks for them. */
const RESTRICTING_METADATA = ['guardrails', 'policies', 'model_rpm_limit', 'model_tpm_limit', 'model_max_budget']

/** Throws 422 for a wrong shape, and 400 for a restriction that would not be kept. */
export function fieldsIn<T extends z.ZodType>(schema: T, body: JsonObject): z.output<T> {
  const fields = shaped(schema, body, 'body')
  const inside = (body['metadata'] ?? {}) as JsonObject
  const found =
    RESTRICTING.find((name) => !isEmpty(body[name])) ??
    RESTRICTING_METADATA.filter((name) => !isEmpty(inside[name])).map((name) => `metadata.${name}`)[0]
  if (found !== undefined) throw wrongField(found, 'this gateway cannot enforce it. Leave it out or send it empty.')
  return fields
}

export function shaped<T extends z.ZodType>(schema: T, value: unknown, part: 'body' | 'query'): z.output<T> {
  const result = schema.safeParse(value)
  if (!result.success) throw new ShapeError(part, result.error)
  return result.data
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}
