import { z } from 'zod'
import { scrubMessage } from '../../domain/errors.ts'
import type { Provider } from '../../domain/provider.ts'
import { looseJson } from '../../domain/request/loose-json.ts'
import {
  type Authorization,
  AuthorizationError,
  type OutgoingRequest,
  type Token,
  type TokenTools,
} from '../authorization.ts'
import { SCOPE, serviceAccountOf, tokenRequest } from './account-key.ts'

/** Everything but an API key: a token of a service account, whose key is set or whose machine this is. */
export const authorization: Authorization = {
  appliesTo: ({ apiKey }) => apiKey === null,
  needsToken: () => true,
  fetchToken,
  headers: (_request, _provider, token) => ({ authorization: `Bearer ${token?.values['access_token'] ?? ''}` }),
}

const TokenAnswer = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() })
const TokenRefusal = z.object({ error: z.string().catch(''), error_description: z.string().catch('') })

async function fetchToken({ credentials }: Provider, tools: TokenTools): Promise<Token> {
  const key = credentials?.['service_account']
  const now = tools.now()
  if (key === undefined) return tokenFrom(await askMetadata(tools), now, metadataWords)
  const account = serviceAccountOf(key)
  if (account === null) throw new AuthorizationError('credentials.service_account is not the JSON of a key.')
  return tokenFrom(await tools.request(tokenRequest(account, now)), now, keyWords)
}

/** On the vendor's own machines, this address knows who they are. */
async function askMetadata(tools: TokenTools): Promise<TokenReply> {
  const host = tools.environment['GCE_METADATA_HOST'] || 'metadata.google.internal'
  const url = `http://${host}/computeMetadata/v1/instance/service-accounts/default/token?scopes=${encodeURIComponent(SCOPE)}`
  const headers = { 'metadata-flavor': 'Google' }
  const request: OutgoingRequest = { method: 'GET', url, headers, body: null, isInternal: true }
  try {
    return await tools.request(request)
  } catch (error) {
    if (!(error instanceof AuthorizationError)) throw error
    throw new AuthorizationError(`${error.message} Outside of Google Cloud, set credentials.service_account.`, {
      isTimeout: error.isTimeout,
    })
  }
}

type TokenReply = Awaited<ReturnType<TokenTools['request']>>

function tokenFrom(
  { status, text }: TokenReply,
  now: number,
  words: (status: number, refusal: Refusal) => string,
): Token {
  const answer = TokenAnswer.safeParse(looseJson(text))
  if (status === 200 && answer.success) {
    const { access_token, expires_in } = answer.data
    return { values: { access_token }, expiresAt: now + expires_in * 1000 }
  }
  const refusal = TokenRefusal.safeParse(looseJson(text))
  throw new AuthorizationError(words(status, refusal.success ? refusal.data : { error: '', error_description: '' }))
}

type Refusal = z.infer<typeof TokenRefusal>

/** The vendor's objection to a key, as advice. */
function keyWords(status: number, { error, error_description: description }: Refusal): string {
  const reason = scrubMessage(`${error} ${description}`.trim()) || `status ${status}`
  return `No token for the service account (${reason}). ${advice(description)}`.trim()
}

function advice(description: string): string {
  if (/\biat\b|\bexp\b|reasonable timeframe/i.test(description)) {
    return "The clock of this machine is off the provider's: set its time (NTP)."
  }
  if (/signature/i.test(description)) return 'The key was deleted or belongs to another account: make a new one.'
  if (/account not found|disabled/i.test(description)) return 'The service account was deleted or disabled.'
  return ''
}

function metadataWords(status: number): string {
  if (status === 404)
    return 'No token: this machine has no service account. Attach one, or set credentials.service_account.'
  return `No token: the metadata server answered with status ${status}.`
}
