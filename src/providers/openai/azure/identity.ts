import type { Provider } from '../../../domain/provider.ts'
import { type Authorization, AuthorizationError, type Token } from '../../authorization.ts'
import type { Options } from '../dialect/options.ts'
import { DEFAULT_SCOPE, managedIdentityRequest } from './managed-identity.ts'
import { readToken } from './read-token.ts'

const PUBLIC_AUTHORITY = 'https://login.microsoftonline.com'

/** Callers that are known by a token of Entra: an application with a secret, or the machine's own identity. */
export const identity: Authorization = {
  appliesTo: hasIdentity,
  needsToken: hasIdentity,
  fetchToken(provider, tools) {
    const request =
      optionsOf(provider).auth === 'entra'
        ? secretRequest(provider)
        : managedIdentityRequest(optionsOf(provider), tools)
    return tools.request(request).then(({ status, text }) => readToken(status, text, tools.now()))
  },
  headers: (_request, _provider, token) => ({ authorization: `Bearer ${bearerOf(token)}` }),
}

export function hasIdentity({ settings }: Pick<Provider, 'settings'>): boolean {
  const auth = settings?.['auth']
  return auth === 'entra' || auth === 'managed_identity'
}

function optionsOf({ settings = {} }: Provider): Options {
  return settings as Options
}

function bearerOf(token: Token | null): string {
  const value = token?.values['access_token']
  if (value === undefined) throw new AuthorizationError('There is no token.')
  return value
}

function secretRequest(provider: Provider) {
  const {
    tenant_id: tenant = '',
    client_id: id = '',
    token_scope: scope,
    authority_url: authority,
  } = optionsOf(provider)
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: id,
    client_secret: provider.credentials?.['client_secret'] ?? '',
    scope: scope ?? DEFAULT_SCOPE,
  })
  const base = (authority ?? PUBLIC_AUTHORITY).replace(/\/+$/, '')
  return {
    method: 'POST' as const,
    url: `${base}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: form.toString(),
  }
}
