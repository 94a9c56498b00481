import { z } from 'zod'
import { Timestamp, Usd } from './fields.ts'
import { SessionBudget } from './value-budgets.ts'

/** What an agent of a session has cost so far. */
export const AgentSums = z.strictObject({
  agent: z.string().nullable().describe('As its calls name it; null: the main agent'),
  parent: z.string().nullable().describe('The agent or session that started it, as its calls claim'),
  depth: z.int().describe('0: the main agent; the list is in the order of the tree'),
  kinds: z.array(z.string()).describe('`main`, `subagent`, `compaction`, …'),
  models: z.array(z.string()).describe('PROVIDER/MODEL'),
  requests: z.int(),
  running: z.int().describe('Part of requests: calls without an end so far'),
  errors: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  cached_tokens: z.int().describe('Part of prompt_tokens'),
  cache_write_tokens: z.int().describe('Part of prompt_tokens'),
  prompt_cache_saved_usd: z.string().describe('What prompt caches of providers saved; negative: they cost more'),
  cost_usd: Usd,
  unconfirmed_counted_usd: Usd.describe('Unconfirmed spend that counts in budgets'),
  cut_streams: z
    .int()
    .describe('Streams that failed after content was sent, which agents ask for again from the start'),
  cut_usd: Usd.describe('Part of cost_usd: what those cost'),
  unpriced_requests: z.int().describe('Served calls with an unknown price, not included in cost_usd'),
  busy_ms: z.int().describe('Durations of its finished calls, added up'),
  first_at: Timestamp,
  last_at: Timestamp,
  with_children: z.strictObject({ agents: z.int(), requests: z.int(), cost_usd: Usd }).describe('With all it started'),
  budgets: z.array(SessionBudget).describe('Budgets for each agent, which count it with all it started'),
})
