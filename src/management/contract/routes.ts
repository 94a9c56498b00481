import { z } from 'zod'
import { RouteCacheSchema } from '../../domain/cache/route-cache.ts'
import { Alias, Compaction, PlaceSchema, PromptCache, RouteSchema } from '../../domain/route.ts'
import { inWorkspace, ManagedBy, pageOf, paging, Timestamp, WorkspaceName } from './fields.ts'
import { operation } from './operation.ts'

export const Route = z.strictObject({
  alias: Alias,
  workspace: WorkspaceName,
  description: z.string().nullable(),
  chain: z
    .array(PlaceSchema)
    .describe('As configured; default `timeout_ms` 600000, `retries` 2, `idle_timeout_ms` the gateway’s'),
  interchangeable: z.boolean().describe('Embeddings may fall back to another model of the chain, too'),
  compaction: Compaction.describe('Summaries at entries that do not speak the Responses API'),
  prompt_cache: PromptCache.describe('Whether prompts without a marker are marked for the provider’s cache'),
  cache: RouteCacheSchema.nullable().describe('How answers to identical requests are cached; null: not cached'),
  defaults: RouteSchema.shape.defaults
    .unwrap()
    .nullable()
    .describe('Sent where the caller leaves a field out; null: none'),
  shared: z.boolean().describe('Every workspace without a route of this name can call it'),
  cache_purged_at: Timestamp.nullable().describe('Answers stored before this are no longer used'),
  created_at: Timestamp,
  updated_at: Timestamp,
  managed_by: ManagedBy,
})

const tag = 'Routes'
/** A purge changes nothing that can be edited. */
const versioned = { hasVersion: true, unversioned: ['cache_purged_at'] }
const place = { params: z.strictObject({ alias: Alias }), query: z.strictObject(inWorkspace) }

export const routeOperations = {
  'routes.list': operation({
    role: 'viewer',
    scope: 'workspace',
    method: 'GET',
    path: '/routes',
    tag,
    summary: 'List the routes that a workspace can call, by alias; shared ones of others included',
    query: z.strictObject({ ...inWorkspace, ...paging }),
    reply: pageOf(Route),
  }),
  'routes.put': operation({
    role: 'editor',
    scope: 'workspace',
    method: 'PUT',
    path: '/routes/{alias}',
    tag,
    summary: 'Create or replace a route; the next call uses it',
    ...place,
    body: RouteSchema,
    reply: Route,
    mayCreate: true,
    ...versioned,
  }),
  'routes.get': operation({
    role: 'viewer',
    scope: 'workspace',
    method: 'GET',
    path: '/routes/{alias}',
    tag,
    summary: 'Get a route',
    ...place,
    reply: Route,
    ...versioned,
  }),
  'routes.delete': operation({
    role: 'editor',
    scope: 'workspace',
    method: 'DELETE',
    path: '/routes/{alias}',
    tag,
    summary: 'Delete a route; running calls continue',
    ...place,
    ...versioned,
  }),
  'routes.purge-cache': operation({
    role: 'editor',
    scope: 'workspace',
    method: 'DELETE',
    path: '/routes/{alias}/cache',
    tag,
    summary: 'Purge the stored answers of a route, on every node',
    ...place,
    reply: Route,
  }),
}
