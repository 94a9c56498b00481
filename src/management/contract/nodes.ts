import { z } from 'zod'
import { pageOf, Timestamp, Usd } from './fields.ts'
import { operation } from './operation.ts'

export const Node = z.strictObject({
  id: z.string().describe('Of its data folder'),
  name: z.string(),
  state: z.enum(['running', 'stopped']).describe('`stopped`: and its whole spool has been delivered'),
  alive: z.boolean().describe('Seen within the last 15 seconds'),
  version: z.string(),
  started_at: Timestamp,
  seen_at: Timestamp,
  lag_rows: z.int().describe('Rows of its spool that the database did not have when it was seen'),
  leases: z
    .array(z.strictObject({ scope: z.enum(['workspace', 'key']), id: z.string(), leased_usd: Usd }))
    .describe('Money that it holds for calls or may spend without asking, with shared counters'),
})

const tag = 'Nodes'

export const nodeOperations = {
  'nodes.list': operation({
    role: 'viewer',
    scope: 'rows',
    method: 'GET',
    path: '/nodes',
    tag,
    summary: 'List the gateways that share this database, by name',
    reply: pageOf(Node),
  }),
  'nodes.forget': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'DELETE',
    path: '/nodes/{id}',
    tag,
    summary: 'Remove a gateway that will not come back and whose spool is lost',
    params: z.strictObject({ id: z.string().max(64) }),
  }),
}
