import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'

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
 * The first thing in a request that the provider does on its own account while it answers: it searches, runs code, asks
 * another model, or goes through the prompt again. Prices per token do not cover it, and nothing bounds it.
 */
export function unboundedUse(request: JsonObject): string | null {
  const { tools, mcp_servers: servers, context_management: management } = request
  if (Array.isArray(tools)) {
    const at = tools.findIndex((tool) => isJsonObject(tool) && !isRunByCaller(tool['type']))
    if (at >= 0) return `tools[${at}].type`
  }
  if (Array.isArray(servers) && servers.length > 0) return 'mcp_servers'
  for (const name in request) if (!FREE.has(name) && (request[name] ?? null) !== null) return name.slice(0, 60)
  const edits = isJsonObject(management) ? management['edits'] : null
  const at = Array.isArray(edits) ? edits.findIndex((edit) => !isClearing(edit)) : -1
  return at >= 0 ? `context_management.edits[${at}]` : null
}

function isRunByCaller(type: unknown): boolean {
  if (type === null || type === undefined) return true
  return typeof type === 'string' && RUN_BY_CALLER.test(type)
}

/** Other edits summarise, which is billed. */
function isClearing(edit: unknown): boolean {
  return isJsonObject(edit) && typeof edit['type'] === 'string' && edit['type'].startsWith('clear_')
}
