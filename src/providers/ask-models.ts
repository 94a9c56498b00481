import type { Provider } from '../domain/provider.ts'
import type { Breakdown } from '../upstream/exchange.ts'
import type { UpstreamReply } from '../upstream/whole-response.ts'
import { type AuthorizeDeps, authorize } from './authorize.ts'
import type { Family } from './family.ts'

/** Asks for one page of a provider's model list: it is free, needs the credentials and shows whether the address is right. */
export async function askModels(
  provider: Provider,
  family: Family,
  { after, timeoutMs }: { after: string | null; timeoutMs: number },
  deps: AuthorizeDeps,
): Promise<UpstreamReply | Breakdown> {
  const request = { ...family.modelsTarget(provider, after), method: 'GET', body: null } as const
  const endpoint = await authorize(request, provider, family, deps)
  if ('kind' in endpoint) return endpoint
  return deps.upstream.exchange(endpoint, { method: 'GET', body: null, timeoutMs, presence: null })
}
