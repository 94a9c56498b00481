import { z } from 'zod'
import { inWorkspace, pageOf, paging, Timestamp } from './fields.ts'
import { operation } from './operation.ts'
import { prices } from './registry.ts'

const CatalogEntry = z.strictObject({
  provider: z.string(),
  model: z.string(),
  place: z.int().describe('In the chain, from 1; the members of a group share one'),
  mode: z.string().nullable().describe('Null if the model is not in the registry'),
  ...prices,
  price_version: z.int().nullable(),
  context_window: z.int().nullable(),
  max_input_tokens: z.int().nullable(),
  max_output_tokens: z.int().nullable(),
  capabilities: z.array(z.string()),
  efforts: z.array(z.string()).nullable(),
  deprecated: z.boolean(),
  shutdown_date: z.string().nullable(),
})

export const CatalogItem = z.strictObject({
  id: z.string().describe('What a caller sends as `model`'),
  kind: z.enum(['alias', 'direct']),
  owned_by: z.string(),
  created_at: Timestamp,
  description: z.string().nullable(),
  chain: z.array(CatalogEntry).describe('Where a call may go, in order; one entry for a direct id'),
})

export const catalogOperations = {
  'catalog.list': operation({
    role: 'viewer',
    scope: 'workspace',
    method: 'GET',
    path: '/catalog',
    tag: 'Registry',
    summary: 'List what GET /v1/models lists, with prices, windows and capabilities',
    query: z.strictObject({ ...inWorkspace, ...paging }),
    reply: pageOf(CatalogItem),
  }),
}
