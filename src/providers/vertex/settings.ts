import { z } from 'zod'
import type { Provider } from '../../domain/provider.ts'
import { SAFETY_SETTINGS } from '../gemini/gemini-family.ts'
import { serviceAccountOf } from './account-key.ts'

const DEFAULT_LOCATION = 'global'

export const Settings = z.strictObject({
  project: z
    .string()
    .regex(/^[a-z0-9.:-]{4,100}$/, 'expected the id or the number of a project')
    .optional(),
  location: z
    .string()
    .regex(/^[a-z]+(?:-[a-z]+\d+)?$/, 'expected a location such as global, eu or us-central1')
    .optional(),
  safety_settings: SAFETY_SETTINGS,
})
export type Settings = z.infer<typeof Settings>

export const CREDENTIALS = ['service_account'] as const

/** Checked when the provider was set up. */
export function placeOf({ settings = {} }: Provider): { project: string | null; location: string } {
  const { project, location } = settings as Settings
  return { project: project ?? null, location: location ?? DEFAULT_LOCATION }
}

/** Problems that involve several fields. */
export function problemOf(provider: Provider): string | null {
  const { apiKey, credentials } = provider
  const account = credentials?.['service_account']
  if (apiKey !== null && account !== undefined)
    return 'credentials.service_account: there is an api_key already; set one'
  if (apiKey === null && placeOf(provider).project === null) {
    return 'settings.project: is missing; only an api_key (express mode) brings its own project'
  }
  if (account === undefined || serviceAccountOf(account) !== null) return null
  return 'credentials.service_account: expected the JSON of a service account key, with client_email and private_key'
}
