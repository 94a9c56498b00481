import type { Provider } from '../../../domain/provider.ts'
import { dialectOf } from './dialect.ts'

const IDENTITY = ['tenant_id', 'client_id', 'authority_url', 'token_scope'] as const

/** What belongs together and is not there, as `field: what would be right`. */
export function problemOf(provider: Provider): string | null {
  const options = dialectOf(provider)?.options ?? {}
  const secret = provider.credentials?.['client_secret']
  if (options.path_style === 'azure_deployment' && options.api_version === undefined) {
    return 'settings.api_version: the path of a deployment needs one, e.g. 2024-10-21'
  }
  if (options.auth === 'entra') {
    const missing = (['tenant_id', 'client_id'] as const).find((name) => options[name] === undefined)
    if (missing !== undefined) return `settings.${missing}: auth: entra needs it`
    return secret === undefined ? 'credentials.client_secret: auth: entra needs it' : null
  }
  if (secret !== undefined) return 'settings.auth: entra is what client_secret is for'
  const extra = options.auth === 'managed_identity' ? undefined : IDENTITY.find((name) => options[name] !== undefined)
  return extra === undefined ? null : `settings.auth: entra or managed_identity is what ${extra} is for`
}
