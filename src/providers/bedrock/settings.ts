import { z } from 'zod'
import type { Provider } from '../../domain/provider.ts'

export const Settings = z.strictObject({
  region: z
    .string()
    .regex(/^[a-z]{2,}(-[a-z]+)+-\d+$/, 'expected a region such as us-east-1')
    .optional(),
  /** Missing: a key where one is set, else signed requests. */
  auth: z.enum(['key', 'sigv4']).optional(),
  /** Assumed with a web identity, instead of AWS_ROLE_ARN, or with the available keys. */
  role_arn: z.string().regex(/^arn:/, 'expected an ARN').optional(),
  /** What a role of another account may ask for. */
  external_id: z.string().min(2).optional(),
  guardrail_id: z.string().min(1).optional(),
  guardrail_version: z.string().min(1).optional(),
})
export type Settings = z.infer<typeof Settings>

export const CREDENTIALS = ['access_key_id', 'secret_access_key', 'session_token'] as const

/** Checked when the provider was set up. */
export function settingsOf({ settings = {} }: { settings?: Provider['settings'] | undefined }): Settings {
  return settings as Settings
}

export function isSigned(provider: Provider): boolean {
  return (settingsOf(provider).auth ?? (provider.apiKey === null ? 'sigv4' : 'key')) === 'sigv4'
}

/** Problems that involve several fields. */
export function problemOf(provider: Provider): string | null {
  const { region, auth, role_arn: role, external_id: externalId, ...more } = settingsOf(provider)
  const { guardrail_id: guardrail, guardrail_version: version } = more
  const { access_key_id: id, secret_access_key: secret, session_token: session } = provider.credentials ?? {}
  if (region === undefined && provider.baseUrl === null) return 'settings.region: is missing, e.g. us-east-1'
  if (region === undefined && isSigned(provider)) return 'settings.region: is missing, and a signature names it'
  if (auth === 'key' && provider.apiKey === null) return "api_key: is missing, and settings.auth is 'key'"
  if (id === undefined && (secret ?? session) !== undefined) return 'credentials.access_key_id: is missing'
  if (id !== undefined && secret === undefined) return 'credentials.secret_access_key: is missing'
  if (externalId !== undefined && role === undefined) return 'settings.role_arn: is missing, and external_id is for it'
  if ((guardrail === undefined) !== (version === undefined)) {
    return `settings.guardrail_${version === undefined ? 'version' : 'id'}: is missing`
  }
  return null
}
