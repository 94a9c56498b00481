import type { Provider } from '../domain/provider.ts'
import type { Translator } from '../providers/family.ts'
import type { Endpoint as UpstreamEndpoint } from '../upstream/exchange.ts'
import type { Candidate } from './chain/assess.ts'
import type { Deps } from './deps.ts'
import type { Begun } from './stages.ts'

const known = new WeakMap<Translator, WeakMap<Provider, UpstreamEndpoint>>()

/** Where an entry is called, with the header fields of the caller that its format passes on. */
export function upstreamEndpoint(
  candidate: Candidate,
  { receiver }: Pick<Begun, 'receiver'>,
  { upstream }: Pick<Deps, 'upstream'>,
): UpstreamEndpoint {
  const endpoint = addressOf(candidate, upstream)
  const { translator, provider } = candidate
  if (translator.forwarded === undefined) return endpoint
  const fields = translator.forwarded(receiver.headers())
  // What an operator has set for the provider wins.
  for (const name in provider.headers) delete fields[name.toLowerCase()]
  return upstream.withFields(endpoint, fields)
}

/** Providers are immutable values of the snapshot: an address that does not name the model is worked out once. */
function addressOf(
  { provider, translator, entry: { model } }: Candidate,
  upstream: Deps['upstream'],
): UpstreamEndpoint {
  if (translator.namesModel === true) return upstream.endpoint(translator.target(provider, model))
  const ofTranslator = known.get(translator) ?? new WeakMap<Provider, UpstreamEndpoint>()
  known.set(translator, ofTranslator)
  const endpoint = ofTranslator.get(provider) ?? upstream.endpoint(translator.target(provider, model))
  ofTranslator.set(provider, endpoint)
  return endpoint
}
