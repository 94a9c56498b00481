import type { Effects, RouteCache } from '../../domain/cache/route-cache.ts'

/** `use`: look it up, else store it. `refresh`: do not look it up, store it. `bypass`: neither. */
export type CacheUse = 'use' | 'refresh' | 'bypass'

export function cacheUse(
  header: (name: string) => string | undefined,
  effects: Effects,
  { withTools }: Pick<RouteCache, 'withTools'>,
): CacheUse {
  if (effects === 'state' || (effects === 'tools' && !withTools)) return 'bypass'
  const wish = header('x-gateway-cache')?.trim().toLowerCase()
  const directives =
    header('cache-control')
      ?.toLowerCase()
      .split(/\s*,\s*/) ?? []
  if (wish === 'bypass' || directives.includes('no-store')) return 'bypass'
  return wish === 'refresh' || directives.includes('no-cache') ? 'refresh' : 'use'
}
