import { CACHE_SCOPES } from '../domain/cache/route-cache.ts'
import { CliError } from './cli-error.ts'
import { parseDuration } from './duration.ts'

export const CACHE_FORM = `TTL[,scope=${CACHE_SCOPES.join('|')}][,tools=true]`

/** The cache of a route: `1h`, or `1h,scope=workspace,tools=true`. */
export function cacheOf(written: string): Record<string, unknown> {
  const [ttl = '', ...settings] = written.split(',')
  const fields = settings.map((setting) => {
    const [name, value = ''] = setting.split('=')
    if (name === 'scope' && CACHE_SCOPES.some((scope) => scope === value)) return [name, value]
    if (name === 'tools' && /^(?:true|false)$/.test(value)) return [name, value === 'true']
    throw new CliError(`--cache: expected ${CACHE_FORM}; not '${written}'`, 2)
  })
  return { ttl_seconds: parseDuration(ttl, 'cache') / 1000, ...Object.fromEntries(fields) }
}
