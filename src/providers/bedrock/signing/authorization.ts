import type { Provider } from '../../../domain/provider.ts'
import { type Authorization, AuthorizationError, type Token, type TokenTools } from '../../authorization.ts'
import { isSigned, settingsOf } from '../settings.ts'
import { fromContainer } from './container.ts'
import { type Keys, signed } from './sign.ts'
import { fromWebIdentity } from './web-identity.ts'

/** Signed requests, with keys that are stored, or fetched from where the gateway runs. */
export const authorization: Authorization = {
  appliesTo: isSigned,
  needsToken: ({ credentials = {} }) => credentials['access_key_id'] === undefined,
  fetchToken,
  headers(request, provider, token, now) {
    const { region = '' } = settingsOf(provider)
    return signed(request, keysIn(token?.values ?? provider.credentials ?? {}), region, now)
  },
}

function keysIn(values: Readonly<Record<string, string>>): Keys {
  const { access_key_id: accessKeyId = '', secret_access_key: secretAccessKey = '', session_token: session } = values
  return { accessKeyId, secretAccessKey, ...(session === undefined ? {} : { sessionToken: session }) }
}

/** Where the vendor's own clients look too, in their order. */
async function fetchToken(provider: Provider, tools: TokenTools): Promise<Token> {
  const { environment } = tools
  const settings = settingsOf(provider)
  if (settings.role_arn === undefined) {
    const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: session } = environment
    if (id && secret) {
      const values = { access_key_id: id, secret_access_key: secret, ...(session ? { session_token: session } : {}) }
      return { values, expiresAt: null }
    }
  }
  const file = environment['AWS_WEB_IDENTITY_TOKEN_FILE']
  const role = settings.role_arn ?? environment['AWS_ROLE_ARN']
  if (file && role) return fromWebIdentity({ file, role, region: settings.region ?? '' }, tools)
  if (settings.role_arn !== undefined) {
    throw new AuthorizationError('settings.role_arn needs a web identity: AWS_WEB_IDENTITY_TOKEN_FILE is not set.')
  }
  const token = await fromContainer(tools)
  if (token !== null) return token
  throw new AuthorizationError(
    'There are no credentials: set api_key, or access_key_id and secret_access_key, or run where a role is given ' +
      '(AWS_WEB_IDENTITY_TOKEN_FILE, AWS_CONTAINER_CREDENTIALS_FULL_URI).',
  )
}
