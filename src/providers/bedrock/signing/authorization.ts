import type { Provider } from '../../../domain/provider.ts'
import { type Authorization, AuthorizationError, type Token, type TokenTools } from '../../authorization.ts'
import { isSigned, settingsOf } from '../settings.ts'
import { withKeys, withWebIdentity } from './assume-role.ts'
import { fromContainer } from './container.ts'
import { fromInstance } from './instance.ts'
import { type Keys, signed } from './sign.ts'

/** Signed requests, with keys that are stored, or fetched from where the gateway runs. */
export const authorization: Authorization = {
  appliesTo: isSigned,
  needsToken: (provider) => !hasStoredKeys(provider) || settingsOf(provider).role_arn !== undefined,
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

/** The configured role is assumed with the gateway's own credentials. */
async function fetchToken(provider: Provider, tools: TokenTools): Promise<Token> {
  const { role_arn: arn, region = '', external_id: externalId } = settingsOf(provider)
  if (arn === undefined) return ownToken(provider, region, tools)
  const role = { arn, region, externalId }
  const file = tools.environment['AWS_WEB_IDENTITY_TOKEN_FILE']
  if (file && !hasStoredKeys(provider)) return withWebIdentity(file, role, tools)
  return withKeys(keysIn((await ownToken(provider, region, tools)).values), role, tools)
}

/** Where the vendor's own clients look too, in their order. */
async function ownToken(provider: Provider, region: string, tools: TokenTools): Promise<Token> {
  const { credentials = {} } = provider
  if (hasStoredKeys(provider)) return { values: credentials, expiresAt: null }
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: session } = tools.environment
  if (id && secret) {
    const values = { access_key_id: id, secret_access_key: secret, ...(session ? { session_token: session } : {}) }
    return { values, expiresAt: null }
  }
  const { AWS_WEB_IDENTITY_TOKEN_FILE: file, AWS_ROLE_ARN: arn } = tools.environment
  if (file && arn) return withWebIdentity(file, { arn, region }, tools)
  const token = (await fromContainer(tools)) ?? (await fromInstance(tools))
  if (token !== null) return token
  throw new AuthorizationError(
    'There are no credentials: set api_key, or access_key_id and secret_access_key, or run where a role is given ' +
      '(AWS_WEB_IDENTITY_TOKEN_FILE, AWS_CONTAINER_CREDENTIALS_FULL_URI, a machine of EC2 with an instance profile).',
  )
}

function hasStoredKeys({ credentials = {} }: Provider): boolean {
  return credentials['access_key_id'] !== undefined
}
