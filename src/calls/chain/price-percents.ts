import type { Provider } from '../../domain/provider.ts'
import type { Log } from '../../telemetry/log.ts'

/** The highest price that providers charge, in percent of the list price, as seen in their answers. */
export interface PricePercents {
  of(provider: Provider): number
  /** A call was billed higher than expected: from now on every node holds for that price. */
  learn(provider: Provider, percent: number, requestId: string): void
}

/** `write` stores it for all nodes; until then this process remembers it. */
export function createPricePercents(
  write: (provider: string, percent: number) => Promise<unknown>,
  log: Log,
): PricePercents {
  const unwritten = new Map<string, number>()
  const of = ({ name, pricePercent = 100 }: Provider) => Math.max(pricePercent, unwritten.get(name) ?? 100)
  return {
    of,
    learn(provider, percent, requestId) {
      const { name } = provider
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
  }
}
