import type { Provider } from '../../domain/provider.ts'
import type { Log } from '../../telemetry/log.ts'

/** The highest price that providers charge, in percent of the list price, as seen in their answers. */
export interface PricePercents {
  of(provider: Provider): number
  /** A call was billed higher than expected: from now on every node holds for that price. */
  learn(provider: Provider, percent: number, requestId: string): void
  /** Nothing has shown yet what the account charges where a request leaves the choice to it. */
  isUntold(provider: Provider, model: string): boolean
  /** It answered such a request at no more than the request itself costs. */
  tell(provider: Provider, model: string): void
}

/** Callers may send anything as a direct model id; beyond this number all are forgotten, and told again. */
const MOST_MODELS = 1_000

/** `write` stores it for all nodes; until then this process remembers it. */
export function createPricePercents(
  write: (provider: string, percent: number) => Promise<unknown>,
  log: Log,
): PricePercents {
  const unwritten = new Map<string, number>()
  // By provider. Not stored: after a restart holds are larger for one answer, which is safe.
  const told = new Map<string, Set<string>>()
  const placeOf = ({ baseUrl }: Provider, model: string) => `${baseUrl} ${model}`
  const of = ({ name, pricePercent = 100 }: Provider) => Math.max(pricePercent, unwritten.get(name) ?? 100)
  return {
    of,
    learn(provider, percent, requestId) {
      const { name } = provider
      told.delete(name)
      if (percent <= of(provider)) return
      unwritten.set(name, percent)
      log.warn(
        { request: requestId, provider: name, percent },
        'the provider charges more than the list price: later calls hold for it (switchyard doctor shows it)',
      )
      write(name, percent).then(
        () => unwritten.get(name) === percent && unwritten.delete(name),
        (error: unknown) =>
          log.error({ provider: name, percent, err: error }, "the provider's price factor could not be stored"),
      )
    },
    // Only an operator states 100: nothing is learned that is not above it.
    isUntold: (provider, model) =>
      provider.pricePercent !== 100 && told.get(provider.name)?.has(placeOf(provider, model)) !== true,
    tell(provider, model) {
      let models = told.get(provider.name)
      if (models === undefined || models.size >= MOST_MODELS) {
        models = new Set()
        told.set(provider.name, models)
      }
      models.add(placeOf(provider, model))
    },
  }
}
