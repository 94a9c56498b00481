import { isConfigured, type Provider, type ProviderTest, withoutSecrets } from '../../domain/provider.ts'
import { askModels } from '../../providers/ask-models.ts'
import { type AuthorizeDeps, isSigned } from '../../providers/authorize.ts'
import type { Family } from '../../providers/family.ts'
import { stoppageWords } from '../../upstream/stoppage-words.ts'
import { bodyOf, type UpstreamReply } from '../../upstream/whole-response.ts'
import { wordsOf } from '../read-outcome.ts'

type Verdict = Pick<ProviderTest, 'ok' | 'models' | 'listed' | 'message'>

const TIMEOUT_MS = 10_000
const NO_LIST = { models: null, listed: [] }

/** Requests the model list: it is free, needs the key, and shows whether the address is right. */
export async function testProvider(provider: Provider, family: Family, deps: AuthorizeDeps): Promise<ProviderTest> {
  if (!isConfigured(provider)) {
    return {
      ok: false,
      latencyMs: 0,
      status: null,
      ...NO_LIST,
      message: 'It has neither a key nor an address nor credentials. Set one of them.',
    }
  }
  const { url } = family.modelsTarget(provider, null)
  const began = performance.now()
  const outcome = await askModels(provider, family, { after: null, timeoutMs: TIMEOUT_MS }, deps)
  const latencyMs = Math.round(performance.now() - began)
  if (outcome.kind !== 'reply') {
    const message = outcome.kind === 'caller-left' ? 'The call was cancelled.' : stoppageWords(outcome, url, TIMEOUT_MS)
    return { ok: false, latencyMs, status: null, ...NO_LIST, message }
  }
  return { latencyMs, status: outcome.status, ...verdictOf(outcome, provider, family, url) }
}

function verdictOf(reply: UpstreamReply, provider: Provider, family: Family, url: string): Verdict {
  const text = withoutSecrets(bodyOf(reply).toString('utf8'), provider)
  const body = parsed(text)
  if (reply.status === 200) return listVerdict(body, provider, family, url)
  const words = body === undefined ? '' : ` It says: ${providerText(reply, body, family)}`
  return { ok: false, ...NO_LIST, message: statusText(reply, provider, family, url) + words + proxyHint(reply) }
}

function proxyHint({ proxy }: UpstreamReply): string {
  return proxy === undefined ? '' : ` The proxy ${proxy} was asked, and may have answered in the provider's place.`
}

function providerText(reply: UpstreamReply, body: unknown, family: Family): string {
  return family.failureFromWire(reply.status, body, (name) => reply.headers.get(name)).message
}

function listVerdict(body: unknown, provider: Provider, family: Family, url: string): Verdict {
  const wrong = (what: string) => ({
    ok: false,
    ...NO_LIST,
    message: `${url} ${what} ${addressHint(provider, family)}`,
  })
  if (body === undefined) return wrong('answers with a page instead of a model list: check the address.')
  try {
    const { models } = family.modelsFromWire(body)
    if (models.length === 0) return wrong('answers, but lists no model.')
    const list = family.hintsFor?.(provider)?.list
    const words = `${accepted(provider, family)}; ${models.length} models are listed.`
    return {
      ok: true,
      models: models.length,
      listed: models.map(({ id }) => id),
      message: list === undefined ? words : `${words} ${list}`,
    }
  } catch {
    return wrong('answers, but not with a model list: check the address.')
  }
}

function accepted(provider: Provider, family: Family): string {
  if (isSigned(family, provider)) return 'The credentials are accepted'
  return provider.apiKey === null ? 'It answers without a key' : 'The key is accepted'
}

function addressHint(provider: Provider, family: Family): string {
  return family.hintsFor?.(provider)?.address ?? family.baseUrlHint
}

function statusText(reply: UpstreamReply, provider: Provider, family: Family, url: string): string {
  const { status } = reply
  if (status >= 300 && status < 400) {
    const to = wordsOf(reply, 'location', provider)
    return `The address redirects${to === null ? '' : ` to ${to}`}: set the base URL to where it leads.`
  }
  switch (status) {
    case 401:
      if (isSigned(family, provider)) return 'The provider does not know the identity: check it, and its role there.'
      return provider.apiKey === null
        ? 'The provider wants a key and none is set.'
        : 'The provider rejects the key: check that it is complete and not revoked.'
    case 403:
      return isSigned(family, provider)
        ? 'The credentials are not accepted, or may not list models.'
        : 'The key is valid but may not list models: check its permissions.'
    case 404:
    case 405:
      return `There is nothing at ${url}. ${addressHint(provider, family)}`
    case 429:
      return 'The provider answers, but this account is rate-limited or out of credit.'
    default:
      return status >= 500
        ? `The provider answers with HTTP ${status}: retry later.`
        : `The provider answers with HTTP ${status}.`
  }
}

/** Undefined if the text is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
