import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'

/** Tools that the caller runs: the provider only describes them to the model. */
const RUN_BY_CALLER = /^(?:custom$|bash_|text_editor_|memory_|computer_)/

/** Other models at other prices, summaries that are billed beside the answer, and the tools of a container. */
const OTHERS = ['fallbacks', 'compaction', 'container']

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
  const field = OTHERS.find((name) => (request[name] ?? null) !== null)
  if (field !== undefined) return field
  const edits = isJsonObject(management) ? management['edits'] : null
  const at = Array.isArray(edits) ? edits.findIndex(isCompaction) : -1
  return at >= 0 ? `context_management.edits[${at}]` : null
}

function isRunByCaller(type: unknown): boolean {
  if (type === null || type === undefined) return true
  return typeof type === 'string' && RUN_BY_CALLER.test(type)
}

function isCompaction(edit: unknown): boolean {
  return isJsonObject(edit) && typeof edit['type'] === 'string' && edit['type'].startsWith('compact')
}
