import type { Uses } from '../../../domain/pricing/usage.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'

/** The name of the tool by the type of its items. Others are run by the caller, or have no fee. */
const TOOLS: ReadonlyMap<unknown, string> = new Map([
  ['web_search_call', 'web_search'],
  ['file_search_call', 'file_search'],
  ['code_interpreter_call', 'code_interpreter'],
  ['image_generation_call', 'image_generation'],
])

/**
 * The vendor's usage does not count its tools: the items of the answer do. Opening a page and finding in one is free, and
 * a search beyond the limit has no action; a container is paid once, however often code ran in it.
 */
export function usesIn(output: unknown, tools?: unknown): Uses | null {
  if (!Array.isArray(output)) return null
  let uses: Record<string, number> | null = null
  let containers: Set<unknown> | null = null
  for (const item of output) {
    const tool = isJsonObject(item) ? TOOLS.get(item['type']) : undefined
    if (tool === undefined || !isPaid(tool, item as JsonObject)) continue
    if (tool === 'code_interpreter') {
      const id = (item as JsonObject)['container_id']
      containers ??= new Set()
      if (containers.has(id)) continue
      containers.add(id)
    }
    const name = tool === 'web_search' && isPreview(tools) ? 'web_search_preview' : tool
    uses ??= {}
    uses[name] = (uses[name] ?? 0) + 1
  }
  return uses
}

/** Its items look the same, but it has another price. An answer repeats the tools that it was offered. */
function isPreview(tools: unknown): boolean {
  return (
    Array.isArray(tools) && tools.some((tool) => isJsonObject(tool) && /^web_search_preview/.test(String(tool['type'])))
  )
}

function isPaid(tool: string, { action }: JsonObject): boolean {
  return tool !== 'web_search' || (isJsonObject(action) && action['type'] === 'search')
}
