import type { Adjustment } from '../../../domain/request/adjustment.ts'
import { isCount, type ToolBounds } from '../../../domain/request/bounds.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import type { Worded } from '../../../domain/wording/worded.ts'
import type { Target } from '../../family.ts'
import { type HostedTool, offeredTools, toolBounds, toolCallsFor } from '../../hosted-tools.ts'

/** Tools that the caller runs: the provider only describes them to the model. */
const RUN_BY_CALLER = /^(?:custom$|bash_|text_editor_|memory_|computer_)/

/**
 * Fields that cost nothing beside tokens. Not listed: other models at other prices (`fallbacks`), summaries that are
 * billed beside the answer, the tools of a container, and what is newer than this list.
 */
const FREE: ReadonlySet<string> = new Set(
  `model messages max_tokens system metadata stop_sequences stream temperature top_k top_p tools tool_choice thinking
  output_config output_format service_tier speed inference_geo context_management cache_control diagnostics thread
  mcp_servers betas anthropic_beta anthropic_version`.split(/\s+/),
)

/**
 * The first thing in a request that the provider does on its own account while it answers, beside its tools: it asks
 * another model, or goes through the prompt again. Prices per token do not cover it, and nothing bounds it.
 */
export function unboundedUse(request: JsonObject): string | null {
  const { mcp_servers: servers, context_management: management } = request
  if (Array.isArray(servers) && servers.length > 0) return 'mcp_servers'
  for (const name in request) if (!FREE.has(name) && (request[name] ?? null) !== null) return name.slice(0, 60)
  const edits = isJsonObject(management) ? management['edits'] : null
  const at = Array.isArray(edits) ? edits.findIndex((edit) => !isClearing(edit)) : -1
  return at >= 0 ? `context_management.edits[${at}]` : null
}

/** Sets how often tools of the provider may run, and leaves out those that nothing bounds. Null: it offers none. */
export function boundTools(
  fields: JsonObject,
  target: Target,
): { adjustments: Adjustment[]; bounds: ToolBounds | null } | Worded | null {
  const { tools, tool_choice: choice } = fields
  if (!Array.isArray(tools) || tools.every(isCallers)) return null
  const boundOf = (tool: unknown) => (isCallers(tool) ? null : bounded(tool as JsonObject, target))
  const offered = offeredTools(tools, target, boundOf, (tool) => isForcedBy(choice, tool, tools.length === 1))
  if (!('tools' in offered)) return offered
  if (offered.tools.length > 0) fields['tools'] = offered.tools
  else {
    delete fields['tools']
    delete fields['tool_choice']
  }
  const { adjustments, hosted } = offered
  const calls = hosted.reduce((sum, tool) => sum + tool.calls, 0)
  // Whether the output limit holds for all passes together is not documented.
  return { adjustments, bounds: hosted.length === 0 ? null : toolBounds(hosted, calls, true) }
}

/** A fetched page costs its tokens alone. */
const BOUNDED: readonly [type: RegExp, fee: string | null][] = [
  [/^web_search_/, 'web_search'],
  [/^web_fetch_/, null],
]

function bounded(tool: JsonObject, target: Target): HostedTool | undefined {
  const [, fee] = BOUNDED.find(([type]) => type.test(String(tool['type']))) ?? []
  if (fee === undefined) return undefined
  const named = tool['max_uses']
  const uses = toolCallsFor(named, target)
  const field = `tools.${String(tool['type']).slice(0, 60)}.max_uses`
  const reason = isCount(named) ? 'fitted_to_budget' : 'pinned'
  const isKept = named === uses
  const sent = isKept ? tool : { ...tool, max_uses: uses }
  const set: Adjustment[] = isKept ? [] : [{ field, value: uses, reason }]
  return { fee, units: 1, addedTokens: null, calls: uses, tool: sent, set }
}

function isForcedBy(choice: unknown, tool: unknown, isOnly: boolean): boolean {
  if (!isJsonObject(choice) || !isJsonObject(tool)) return false
  return choice['type'] === 'any' ? isOnly : choice['type'] === 'tool' && choice['name'] === tool['name']
}

function isCallers(tool: unknown): boolean {
  return !isJsonObject(tool) || isRunByCaller(tool['type'])
}

function isRunByCaller(type: unknown): boolean {
  if (type === null || type === undefined) return true
  return typeof type === 'string' && RUN_BY_CALLER.test(type)
}

/** Other edits summarise, which is billed. */
function isClearing(edit: unknown): boolean {
  return isJsonObject(edit) && typeof edit['type'] === 'string' && edit['type'].startsWith('clear_')
}
