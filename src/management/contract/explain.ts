import { z } from 'zod'
import { ERRORS, type ErrorCode } from '../../domain/errors.ts'
import { Adjustment } from '../../domain/request/adjustment.ts'
import { Alias } from '../../domain/route.ts'
import { CHAT_REQUEST, inWorkspace, Usd, WorkspaceName } from './fields.ts'
import { operation } from './operation.ts'

const WireRequest = z.strictObject({
  method: z.literal('POST'),
  url: z.string(),
  headers: z.record(z.string(), z.string()).describe('Secrets are masked'),
  body: z.record(z.string(), z.unknown()),
})

const ExplainedEntry = z.strictObject({
  provider: z.string(),
  model: z.string(),
  timeout_ms: z.int(),
  idle_timeout_ms: z.int().nullable().describe("The longest silence inside a stream; null: the gateway's"),
  retries: z.int(),
  hedge_after_ms: z.int().nullable().describe('After this time without content the next entry is also called'),
  chosen_because: z
    .string()
    .nullable()
    .describe('Why it has this position in its group; null for an entry without a group'),
  configured: z.boolean().describe('The provider has a key or an address'),
  circuit: z.enum(['closed', 'open', 'half-open']),
  would_be_used: z.boolean().describe('Whether a call would be sent here now'),
  skipped_because: z.string().nullable().describe('Also null for the entries after the one that would be used'),
  refused: z.string().nullable().describe('Why it cannot express the request, naming the parameter'),
  ignored: z.array(z.string()).describe('Parameters that this entry would not get'),
  adjustments: z.array(Adjustment).describe('Fields that would be changed for this entry'),
  context_window: z.int().nullable(),
  hold_usd: Usd.nullable().describe('The maximum cost of this call here; null when a price or a length is unknown'),
  price_percent: z
    .int()
    .nullable()
    .describe(
      'Percentage of the list price that the hold uses: 100, or more for a more expensive tier, region or account',
    ),
  wire: WireRequest.nullable().describe('What would be sent'),
})

export const Explanation = z.strictObject({
  workspace: WorkspaceName,
  model: z.string().describe('As the caller sends it'),
  route: Alias.nullable().describe('Null for a direct model id'),
  note: z.string().nullable(),
  advice: z
    .string()
    .nullable()
    .describe('How to lower the hold of the call; null when every entry gets an output limit'),
  hold_usd: Usd.nullable().describe('The largest of the entries that can serve the call; the two largest with hedging'),
  error: z
    .strictObject({ code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]), message: z.string() })
    .nullable()
    .describe('The error a call would get, when no entry can be tried or a hard budget refuses'),
  entries: z.array(ExplainedEntry).describe('The chain, in order'),
})

const tag = 'Routes'
const query = z.strictObject({
  ...inWorkspace,
  key: z.string().max(64).optional().describe('Id of the calling key: its limits count too'),
  session: z.string().max(128).optional().describe('As in the header `x-gateway-session`'),
})
const body = z.unknown().meta(CHAT_REQUEST)

export const explainOperations = {
  'routes.explain': operation({
    role: 'viewer',
    scope: 'workspace',
    method: 'POST',
    path: '/routes/{alias}/explain',
    tag,
    summary: 'Show where a chat request to this route would go, without calling a provider; its `model` is the alias',
    params: z.strictObject({ alias: Alias }),
    query,
    body,
    reply: Explanation,
  }),
  'explain.request': operation({
    role: 'viewer',
    scope: 'workspace',
    method: 'POST',
    path: '/explain',
    tag,
    summary: 'Show where a chat request would go by its `model`, alias or direct id, without calling a provider',
    query,
    body,
    reply: Explanation,
  }),
}
