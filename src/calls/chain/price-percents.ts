import type { Provider } from '../../domain/provider.ts'
import type { Log } from '../../telemetry/log.ts'

/** What providers charge at most, in percent of the list price, as far as their answers have shown. */
export interface PricePercents {
  of(provider: Provider): number
  /** A call was billed at more than anybody expected: it is held for from now on, by every node. */
  learn(provider: Provider, percent: number, requestId: string): void
}

/** `write` makes it last and known to all; until it has, this process remembers. */
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
        'the provider charges more than the list price: held for from now on (switchyard doctor shows it)',
      )
      write(name, percent).then(
        () => unwritten.get(name) === percent && unwritten.delete(name),
        (error: unknown) => log.error({ provider: name, percent, err: error }, 'what it charges could not be stored'),
      )
    },
  }
}
