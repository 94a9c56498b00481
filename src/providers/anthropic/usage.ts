import { TOKEN_CLASSES } from '../../domain/pricing/classes.ts'
import {
  cacheWriteTokens,
  NO_USAGE,
  promptTokens,
  type TokenUsage,
  tokenCount,
  type Uses,
} from '../../domain/pricing/usage.ts'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import { reportedPercent } from './account-defaults.ts'
import { WireUsage } from './wire.ts'

/** Null when the provider reported no usage. */
export function readUsage(usage: unknown): TokenUsage | null {
  const parsed = WireUsage.safeParse(usage)
  return parsed.success ? usageFromWire(parsed.data) : null
}

/** What the provider did on its own account and no price covers, for our log. */
export function unpricedUse(usage: unknown): string | null {
  if (!isJsonObject(usage)) return null
  const { server_tool_use: tools, iterations } = usage
  const used = Object.entries(isJsonObject(tools) ? tools : {})
    .filter(([name, count]) => tokenCount(count) > 0 && !PRICED.has(name))
    .map(([name, count]) => `${tokenCount(count)} ${name.slice(0, 50)}`)
  const others = Array.isArray(iterations) ? iterations.filter(isOfOtherModel).length : 0
  if (others > 0) used.push(`${others} answers of other models`)
  return used.length === 0 ? null : `not priced: ${used.join(', ')}`
}

/** A fetched page costs its tokens alone. */
const PRICED: ReadonlySet<string> = new Set(['web_search_requests', 'web_fetch_requests'])

function usesOf(tools: unknown): Uses | null {
  const searches = isJsonObject(tools) ? tokenCount(tools['web_search_requests']) : 0
  return searches === 0 ? null : { web_search: searches }
}

function isOfOtherModel(iteration: unknown): boolean {
  return isJsonObject(iteration) && ['advisor_message', 'fallback_message'].includes(String(iteration['type']))
}

/** Tokens by price class. `input_tokens` already excludes both cache classes. */
export function usageFromWire(usage: WireUsage | null | undefined): TokenUsage {
  if (usage === null || usage === undefined) return NO_USAGE
  let total = ownUsage(usage)
  // Shortening the conversation is billed, but is not part of the totals.
  for (const each of iterationsOf(usage.iterations, 'compaction')) total = sum(total, ownUsage(each))
  return total
}

function iterationsOf(iterations: unknown, type: string): WireUsage[] {
  if (!Array.isArray(iterations)) return []
  return iterations.flatMap((each: unknown) => {
    const parsed = isJsonObject(each) && each['type'] === type ? WireUsage.safeParse(each) : null
    return parsed?.success === true ? [parsed.data] : []
  })
}

function sum(a: TokenUsage, b: TokenUsage): TokenUsage {
  const total = { ...a, reasoning: a.reasoning + b.reasoning }
  for (const { name } of TOKEN_CLASSES) total[name] += b[name]
  return total
}

function ownUsage(usage: WireUsage): TokenUsage {
  return {
    ...NO_USAGE,
    input: tokenCount(usage.input_tokens),
    cachedInput: tokenCount(usage.cache_read_input_tokens),
    ...cacheWrites(usage),
    output: tokenCount(usage.output_tokens),
    reasoning: tokenCount(usage.output_tokens_details?.thinking_tokens),
    pricePercent: reportedPercent(usage),
    uses: usesOf(usage.server_tool_use),
  }
}

/** The split may be missing: then all writes have the default lifetime. Its parts never exceed the total. */
function cacheWrites(usage: WireUsage): Pick<TokenUsage, 'cacheWrite5m' | 'cacheWrite1h'> {
  const short = tokenCount(usage.cache_creation?.ephemeral_5m_input_tokens)
  const long = tokenCount(usage.cache_creation?.ephemeral_1h_input_tokens)
  const total = tokenCount(usage.cache_creation_input_tokens) || short + long
  const cacheWrite1h = Math.min(long, total)
  return { cacheWrite5m: total - cacheWrite1h, cacheWrite1h }
}

/** The `usage` of a completion; details only when they have a value. */
export function completionUsage(usage: TokenUsage): JsonObject {
  const prompt = promptTokens(usage)
  const written = cacheWriteTokens(usage)
  const result: JsonObject = {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
  }
  if (usage.cachedInput > 0 || written > 0) {
    result['prompt_tokens_details'] = { cached_tokens: usage.cachedInput, cache_write_tokens: written }
  }
  if (usage.reasoning > 0) result['completion_tokens_details'] = { reasoning_tokens: usage.reasoning }
  return result
}
