import { accessSync } from 'node:fs'
import { registerHooks } from 'node:module'

/** Loaded with `--import` into a gateway that runs from its sources: BENCH_PATH names the parts of its HTTP path. */
const path = process.env['BENCH_PATH'] ?? ''
const OWN_POOL = new URL('../../src/upstream/connection-pool.ts', import.meta.url)
const ROUTES = new URL('../../src/app/http-routes.ts', import.meta.url)
// A file that moved would be swapped by nobody, and today's path measured twice.
for (const file of [OWN_POOL, ROUTES]) accessSync(file)

registerHooks({
  resolve(specifier, context, next) {
    const resolved = next(specifier, context)
    if (!path.endsWith('undici') || resolved.url !== OWN_POOL.href) return resolved
    return { ...resolved, url: new URL('undici-pool.ts', import.meta.url).href }
  },
  load(url, context, next) {
    const loaded = next(url, context)
    if (!path.startsWith('node:http') || url !== ROUTES.href) return loaded
    const [from, to] = ['usesRawSocket: true', 'usesRawSocket: false']
    const source = String(loaded.source)
    if (!source.includes(from)) throw new Error(`${url} has no '${from}'`)
    return { ...loaded, source: source.replace(from, to) }
  },
})
