import { hash } from 'node:crypto'
import { z } from 'zod'

/** Who may get a stored answer: the key that asked first, or every key of its workspace. Never another workspace. */
export const CACHE_SCOPES = ['key', 'workspace'] as const
export type CacheScope = (typeof CACHE_SCOPES)[number]

const LONGEST_TTL_SECONDS = 30 * 24 * 3600

/** Of a route whose answers are stored and given again for the same bytes. */
export const RouteCacheSchema = z.strictObject({
  ttl_seconds: z.int().min(1).max(LONGEST_TTL_SECONDS).describe('How long an answer is given again'),
  scope: z
    .enum(CACHE_SCOPES)
    .optional()
    .describe('Who may get it: the same key (default), or every key of the workspace'),
  tools: z
    .boolean()
    .optional()
    .describe('Also for requests with tools, whose answers may make clients act; default false'),
})
export type RouteCacheDefinition = z.infer<typeof RouteCacheSchema>

export interface RouteCache {
  ttlMs: number
  scope: CacheScope
  /** Requests with tools, too. */
  withTools: boolean
  /** Of the route as it is defined now: another one never answers for it. */
  version: string
}

/**
 * `route`: everything that distinguishes two definitions, including when it was created and when its cache was purged.
 */
export function routeCache(definition: RouteCacheDefinition, route: readonly unknown[]): RouteCache {
  const { ttl_seconds, scope = 'key', tools = false } = definition
  const version = hash('sha256', JSON.stringify([definition, ...route]), 'hex')
  return { ttlMs: ttl_seconds * 1000, scope, withTools: tools, version }
}

/** What the cache did with a call of a route that has one; `bypass`: it was not asked. */
export const CACHE_VERDICTS = ['hit', 'miss', 'bypass'] as const
export type CacheVerdict = (typeof CACHE_VERDICTS)[number]

/** What a request does beside being answered: it uses tools, or what the provider keeps, which no byte of it shows. */
export type Effects = 'none' | 'tools' | 'state'
