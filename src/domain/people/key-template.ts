import { z } from 'zod'
import { AllowedModels } from '../key.ts'
import { KeyLimits } from '../limits.ts'

const DAY_SECONDS = 86_400

/** What keys people may make for themselves, but for the workspace. */
export const KeyTemplateSettings = z.strictObject({
  description: z.string().max(200).nullable().default(null).describe('What people see beside its name'),
  allowed_models: AllowedModels.nullable().default(null).describe('As of a key; null: all'),
  limits: KeyLimits.nullable().default(null).describe('Limits and budget of each such key'),
  max_keys: z.int().min(1).max(100).default(1).describe('How many working keys of this template a person may have'),
  max_days: z
    .int()
    .min(1)
    .max(3_650)
    .nullable()
    .default(90)
    .describe('Keys expire after at most this many days; null: never'),
})
export type KeyTemplateSettings = z.infer<typeof KeyTemplateSettings>

export interface KeyTemplate extends KeyTemplateSettings {
  name: string
  workspace: string
}

/** When a key of the template ends that should end at this time; null: never. Too late is an error of who asks. */
export function endWithin(
  { max_days }: KeyTemplateSettings,
  asked: number | null | undefined,
  now: number,
): number | null | 'late' {
  const latest = max_days === null ? null : now + 1_000 * DAY_SECONDS * max_days
  if (asked === undefined) return latest
  if (latest !== null && (asked === null || asked > latest)) return 'late'
  return asked
}
