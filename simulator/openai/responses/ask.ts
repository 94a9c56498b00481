import { lastText, lastUserText, textOf } from '../../call-log.ts'
import { isObject, type JsonObject, objectOrEmpty, objectsIn, stringOrNull } from '../../json.ts'
import type { Ask, DeclaredTool, ToolChoice } from '../../reply.ts'
import { countPromptTokens } from '../../tokens.ts'

const RESULTS: readonly unknown[] = ['function_call_output', 'custom_tool_call_output']

export function readResponseAsk(body: JsonObject): Ask {
  const items = objectsIn(body['input'])
  const last = items.at(-1) ?? {}
  const format = objectOrEmpty(objectOrEmpty(body['text'])['format'])
  return {
    model: stringOrNull(body['model']) ?? '',
    lastUserText: lastUserText(items) || lastText(body['input']),
    toolResult: RESULTS.includes(last['type']) ? textOf(last['output']) : null,
    toolResults: items.filter(({ type }) => RESULTS.includes(type)).length,
    // A summary takes no tools, whatever is offered.
    tools:
      last['type'] === 'compaction_trigger'
        ? []
        : [...declaredTools(body['tools']), ...items.flatMap((item) => declaredTools(item['tools']))],
    toolChoice: readToolChoice(body['tool_choice']),
    parallelTools: body['parallel_tool_calls'] !== false,
    schema: format['type'] === 'json_schema' ? objectOrEmpty(format['schema']) : null,
    anyJson: format['type'] === 'json_object',
    maxTokens: typeof body['max_output_tokens'] === 'number' ? body['max_output_tokens'] : null,
    mostSearches: mostSearches(body),
    promptTokens: countPromptTokens(body['input'], body['instructions'], body['tools']),
    thinkingTokens: 0,
  }
}

/** What the caller runs; hosted tools are the vendor's business. */
function declaredTools(tools: unknown): DeclaredTool[] {
  return objectsIn(tools).flatMap((tool) => {
    const name = stringOrNull(tool['name']) ?? ''
    if (tool['type'] === 'function') return [{ name, schema: objectOrEmpty(tool['parameters']) }]
    if (tool['type'] === 'custom') return [{ name, schema: {}, isCustom: true }]
    return tool['type'] === 'namespace'
      ? declaredTools(tool['tools']).map((inner) => ({ ...inner, namespace: name }))
      : []
  })
}

function readToolChoice(choice: unknown): ToolChoice {
  if (choice === 'none') return { kind: 'none' }
  if (choice === 'required') return { kind: 'any' }
  if (!isObject(choice)) return { kind: 'auto' }
  if (choice['type'] === 'allowed_tools') return readToolChoice(choice['mode'])
  return typeof choice['name'] === 'string' ? { kind: 'tool', name: choice['name'] } : { kind: 'auto' }
}

/** Null of the field means no limit. */
function mostSearches({ tools, max_tool_calls: most }: JsonObject): number {
  const isOffered = objectsIn(tools).some(({ type }) => String(type).startsWith('web_search'))
  if (!isOffered) return 0
  return typeof most === 'number' ? most : Number.POSITIVE_INFINITY
}
