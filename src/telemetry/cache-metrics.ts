import type { Registry } from 'prom-client'
import { Tally } from './tally.ts'

export interface CacheMetrics {
  /** By route and verdict. */
  cacheLookups: Tally
  /** By route. */
  cacheSavedUsd: Tally
  cacheBytes: Tally
}

export function cacheMetrics(registry: Registry): CacheMetrics {
  return {
    cacheLookups: new Tally({
      name: 'switchyard_cache_lookups_total',
      help: 'Calls of routes with a response cache, by verdict (hit, miss or bypass).',
      labels: ['route', 'verdict'],
      registry,
    }),
    cacheSavedUsd: new Tally({
      name: 'switchyard_cache_saved_usd_total',
      help: 'What the answers given from the response cache had cost in USD.',
      labels: ['route'],
      registry,
    }),
    cacheBytes: new Tally(
      {
        name: 'switchyard_cache_bytes',
        help: 'Bytes of answers that the response cache holds in memory.',
        registry,
      },
      'gauge',
    ),
  }
}
