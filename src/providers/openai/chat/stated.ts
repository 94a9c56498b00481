import { statedTicks, statedUsd } from '../../../domain/pricing/stated.ts'
import { type Stated, tokenCount, type Uses } from '../../../domain/pricing/usage.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'

/** Successful calls of tools, where a server counts them: only these are billed. */
export function usesCounted({ server_side_tool_usage_details: details }: JsonObject): Uses | null {
  if (!isJsonObject(details)) return null
  const uses: Record<string, number> = {}
  for (const [name, value] of Object.entries(details)) {
    const tool = name.replace(/_calls$/, '')
    // What a tool of another server costs, that server bills.
    if (tool !== 'mcp' && tokenCount(value) > 0) uses[tool.slice(0, 64)] = tokenCount(value)
  }
  return Object.keys(uses).length === 0 ? null : uses
}

/**
 * What the server says the call cost. With a key of the caller's own at another vendor, `cost` is only the fee of the
 * server in between (often 0), and the model's money is on the other vendor's bill.
 */
export function statedIn(usage: JsonObject): Stated | null {
  const { cost, cost_details: details, cost_in_usd_ticks: ticks, is_byok: isOwnKey } = usage
  if (ticks !== undefined) return statedTicks(ticks, 'usage.cost_in_usd_ticks')
  if (cost === undefined) return null
  if (isOwnKey === true) {
    const upstream = isJsonObject(details) ? details['upstream_inference_cost'] : null
    return statedUsd(upstream, 'usage.cost_details.upstream_inference_cost')
  }
  return isJsonObject(cost) ? statedUsd(cost['total_cost'], 'usage.cost.total_cost') : statedUsd(cost, 'usage.cost')
}
