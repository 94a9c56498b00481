import { testProvider } from '../calls/models/test-provider.ts'
import { isConfigured, type Provider } from '../domain/provider.ts'
import { withoutPassword } from '../domain/proxy-url.ts'
import { askModels } from '../providers/ask-models.ts'
import type { AuthorizeDeps } from '../providers/authorize.ts'
import { FAMILIES } from '../providers/families.ts'
import { builtinProviders } from '../providers/provider-kinds.ts'
import type { ControlRows } from '../store/control/snapshot.ts'
import { PROXY_VARIABLES, proxyNamed } from '../upstream/environment-proxies.ts'
import { attempt, type Check, good, problem } from './check.ts'

/** Lists each provider's models; those without key and address are skipped. */
export async function checkProviders(providers: readonly Provider[], deps: AuthorizeDeps): Promise<Check[]> {
  if (!providers.some(isConfigured)) {
    const variables = builtinProviders().map(({ apiKeyVariable }) => apiKeyVariable)
    return [problem('providers', `none has a key: set ${variables.join(' or ')}, or try switchyard demo`)]
  }
  const checks = providers.map((provider) => attempt(`provider ${provider.name}`, () => checkProvider(provider, deps)))
  return (await Promise.all(checks)).flat()
}

async function checkProvider(provider: Provider, deps: AuthorizeDeps): Promise<Check> {
  const name = `provider ${provider.name}`
  const family = FAMILIES.get(provider.family)
  if (family === undefined) return problem(name, `there is no family '${provider.family}'`)
  if (!isConfigured(provider)) {
    const variable = family.builtin?.apiKeyVariable
    return good(name, `not in use: ${variable === undefined ? 'it has no key' : `${variable} is not set`}`)
  }
  const { ok, message, latencyMs } = await testProvider(provider, family, deps)
  return { name, ok, message: `${message} (${latencyMs} ms)` }
}

/** Signatures, budgets and logs all hang on the time; a provider's clock is right. */
const MOST_SKEW_MS = 60_000
const TIMEOUT_MS = 10_000

export async function checkClock(providers: readonly Provider[], deps: AuthorizeDeps): Promise<Check> {
  for (const provider of providers.filter(isConfigured)) {
    const family = FAMILIES.get(provider.family)
    if (family === undefined) continue
    const reply = await askModels(provider, family, { after: null, timeoutMs: TIMEOUT_MS }, deps)
    const theirs = reply.kind === 'reply' ? Date.parse(String(reply.headers.get('date'))) : Number.NaN
    if (Number.isNaN(theirs)) continue
    const seconds = Math.round(Math.abs(deps.now() - theirs) / 1000)
    const difference = `${seconds} s from the clock of ${provider.name}`
    return seconds * 1000 <= MOST_SKEW_MS
      ? good('clock', difference)
      : problem('clock', `${difference}: set this machine's time (NTP)`)
  }
  return good('clock', 'no provider to compare with')
}

/** The ways out that the environment names, without passwords. */
export function checkProxies(environment: Readonly<Record<string, string | undefined>>): Check[] {
  const named = PROXY_VARIABLES.flatMap((name) => {
    const proxy = proxyNamed(environment[name])
    return proxy === null ? [] : [`${name} is ${withoutPassword(proxy)}`]
  })
  const excepted = environment['no_proxy'] || environment['NO_PROXY'] || 'nothing'
  return named.length === 0 ? [] : [good('proxy', `${named.join(', ')}; excepted: this machine and ${excepted}`)]
}

/** Not wrong, but more expensive than the price list: holds are larger for it. */
export function checkCharges(rows: ControlRows | null): Check[] {
  return (rows?.providers ?? []).flatMap(({ name, price_percent: percent }) => {
    if ((percent ?? 100) <= 100) return []
    const words = `charges up to ${percent} % of the list price, which budgets hold for: look for a dearer default`
    const forget = `switchyard providers price-percent ${name} --price-percent null`
    return [good(`charges of ${name}`, `${words} (service tier, region) in its account, then ${forget}`)]
  })
}

/** Works, but a report of the vendor names the key: it cannot tell the providers apart that share one. */
export function checkSharedKeys(providers: readonly Provider[]): Check[] {
  const keyed = providers.filter(({ apiKey }) => apiKey !== null)
  return [...Map.groupBy(keyed, ({ apiKey, baseUrl }) => JSON.stringify([apiKey, baseUrl])).values()].flatMap(
    (sharing) =>
      sharing.length < 2
        ? []
        : [
            good(
              `key of ${sharing.map(({ name }) => name).join(' and ')}`,
              'is the same, so reconciliation cannot tell them apart: give each a key of its own, in a project of its own',
            ),
          ],
  )
}
