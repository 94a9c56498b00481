import type { Adjustment } from '../../../domain/request/adjustment.ts'
import { isCount, type ToolBounds } from '../../../domain/request/bounds.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import type { Worded } from '../../../domain/wording/worded.ts'
import type { Target } from '../../family.ts'
import { type HostedTool, offeredTools, toolBounds, toolCallsFor, typeOf } from '../../hosted-tools.ts'

/** One call may have several queries, and whether each is charged is not documented. */
const QUERIES_PER_CALL = 3
const USUAL_RESULTS = 20
const MOST_RESULTS = 50
/** The largest chunk of a stored file, in tokens. */
const CHUNK_TOKENS = 4096
const LIMIT = 'max_tool_calls'

/** Sets what bounds the tools of the provider, and leaves out those that nothing bounds. Null: it offers none. */
export function boundTools(
  fields: JsonObject,
  target: Target,
  isCallers: (tool: unknown) => boolean,
): { adjustments: Adjustment[]; bounds: ToolBounds | null } | Worded | null {
  const { tools, tool_choice: choice } = fields
  if (!Array.isArray(tools) || tools.every(isCallers)) return null
  const calls = toolCallsFor(fields[LIMIT], target)
  const isForced = (tool: unknown) => isForcedBy(choice, typeOf(tool), tools.length === 1)
  const offered = offeredTools(tools, target, (tool) => (isCallers(tool) ? null : boundOf(tool, calls)), isForced)
  if (!('tools' in offered)) return offered
  const { adjustments, hosted } = offered
  if (offered.tools.length > 0) fields['tools'] = offered.tools
  else {
    delete fields['tools']
    delete fields['tool_choice']
  }
  if (hosted.length === 0) return { adjustments, bounds: null }
  if (fields[LIMIT] !== calls) {
    const reason = isCount(fields[LIMIT]) ? 'fitted_to_budget' : 'pinned'
    fields[LIMIT] = calls
    adjustments.push({ field: LIMIT, value: calls, reason })
  }
  return { adjustments, bounds: toolBounds(hosted, calls, false) }
}

/** Undefined: nothing bounds it. */
function boundOf(tool: unknown, calls: number): HostedTool | undefined {
  if (!isJsonObject(tool)) return undefined
  const type = String(tool['type'])
  const plain = { units: 1, addedTokens: null, calls, tool, set: [] }
  if (/^web_search_preview/.test(type)) return { ...plain, fee: 'web_search_preview', units: QUERIES_PER_CALL }
  if (/^web_search/.test(type)) return { ...plain, fee: 'web_search', units: QUERIES_PER_CALL }
  if (type === 'file_search') return fileSearch(tool, calls)
  return type === 'code_interpreter' ? codeInterpreter(tool, calls) : undefined
}

function fileSearch(tool: JsonObject, calls: number): HostedTool {
  const named = tool['max_num_results']
  const isNamed = isCount(named) && named <= MOST_RESULTS
  const results = isNamed ? named : USUAL_RESULTS
  return {
    ...{ fee: 'file_search', units: 1, addedTokens: results * CHUNK_TOKENS, calls },
    tool: isNamed ? tool : { ...tool, max_num_results: results },
    set: isNamed ? [] : [{ field: 'tools.file_search.max_num_results', value: results, reason: 'pinned' }],
  }
}

/** The price is that of the smallest container; a larger one, and one that runs already, has another. */
function codeInterpreter(tool: JsonObject, calls: number): HostedTool | undefined {
  const { container } = tool
  if (!isJsonObject(container) || container['type'] !== 'auto') return undefined
  const memory = container['memory_limit'] ?? null
  if (memory !== null && memory !== '1g') return undefined
  const field = 'tools.code_interpreter.container.memory_limit'
  return {
    ...{ fee: 'code_interpreter', units: 1, addedTokens: null, calls },
    tool: memory === null ? { ...tool, container: { ...container, memory_limit: '1g' } } : tool,
    set: memory === null ? [{ field, value: '1g', reason: 'pinned' }] : [],
  }
}

/** The caller wants this tool to run, or one of a list that has nothing else. */
function isForcedBy(choice: unknown, type: string, isOnly: boolean): boolean {
  if (choice === 'required') return isOnly
  if (!isJsonObject(choice)) return false
  if (choice['type'] !== 'allowed_tools') return choice['type'] === type
  const allowed = choice['tools']
  return choice['mode'] === 'required' && Array.isArray(allowed) && allowed.every((tool) => typeOf(tool) === type)
}
