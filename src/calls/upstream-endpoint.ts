import type { WireBytes } from '../bodies/request-body.ts'
import { formType } from '../domain/form/write-form.ts'
import type { Provider } from '../domain/provider.ts'
import { headersWithout } from '../domain/request/omissions.ts'
import { type Authorized, authorize, isSigned, type Unauthorized } from '../providers/authorize.ts'
import type { Translator } from '../providers/family.ts'
import { targetVia } from '../providers/target-via.ts'
import type { Endpoint as UpstreamEndpoint } from '../upstream/exchange.ts'
import type { Candidate } from './chain/assess.ts'
import type { Deps } from './deps.ts'
import type { Received } from './stages.ts'

/**
 * Where an entry is called, with the header fields of the caller that its format passes on, and those that show the
 * provider who calls: they may have to be fetched, or be made from the very bytes that are sent.
 */
export function upstreamEndpoint(
  candidate: Candidate,
  bytes: WireBytes,
  { endpoint: { form }, receiver, delivery }: Pick<Received, 'endpoint' | 'receiver' | 'delivery'>,
  deps: Pick<Deps, 'upstream' | 'tokens' | 'now'>,
): UpstreamEndpoint | Promise<Authorized | Unauthorized> {
  const { translator, provider, family } = candidate
  const passed = forwarded(candidate, receiver)
  const fields =
    form !== undefined && typeof bytes !== 'string' ? { ...passed, 'content-type': formType(bytes) } : passed
  if (isSigned(family, provider)) {
    const target = translator.target(provider, candidate.entry.model, delivery !== null)
    const headers = { ...target.headers, ...fields }
    return authorize({ ...target, headers, method: 'POST', body: bytes }, provider, family, deps)
  }
  const endpoint = addressOf(candidate, delivery !== null, deps.upstream)
  return fields === null ? endpoint : deps.upstream.withFields(endpoint, fields)
}

function forwarded(
  { translator, provider, destination }: Candidate,
  receiver: Received['receiver'],
): Record<string, string> | null {
  const steering = steeringOf(translator, destination)
  if (translator.forwarded === undefined && steering === null) return null
  const { omits } = destination
  const headers = receiver.headers()
  const passed = translator.forwarded?.(omits === undefined ? headers : headersWithout(headers, omits))
  const fields = { ...passed, ...steering }
  // What an operator has set for the provider wins.
  for (const name in provider.headers) delete fields[name.toLowerCase()]
  return fields
}

function steeringOf(
  { cacheKeyHeader }: Translator,
  { cacheKey }: Candidate['destination'],
): Record<string, string> | null {
  return cacheKeyHeader === undefined || cacheKey === undefined ? null : { [cacheKeyHeader]: cacheKey }
}

const known = new WeakMap<Translator, WeakMap<Provider, Map<string, UpstreamEndpoint>>>()
/** Callers choose the names of models: only so many are kept. */
const MOST_KEPT = 200

/** Providers are immutable values of the snapshot: an address is worked out once. */
function addressOf(
  { provider, translator, entry: { model } }: Candidate,
  isStream: boolean,
  upstream: Deps['upstream'],
): UpstreamEndpoint {
  const ofTranslator = known.get(translator) ?? new WeakMap<Provider, Map<string, UpstreamEndpoint>>()
  known.set(translator, ofTranslator)
  const ofProvider = ofTranslator.get(provider) ?? new Map<string, UpstreamEndpoint>()
  ofTranslator.set(provider, ofProvider)
  const name = translator.namesModel === true ? `${isStream}/${model}` : ''
  const present = ofProvider.get(name)
  if (present !== undefined) return present
  const endpoint = upstream.endpoint(targetVia(provider, translator.target(provider, model, isStream)))
  if (ofProvider.size >= MOST_KEPT) ofProvider.clear()
  ofProvider.set(name, endpoint)
  return endpoint
}
