import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import { mistake, quoted, refuse, requiredText } from '../../domain/request/rejection.ts'
import { worded } from '../../domain/wording/worded.ts'
import { type CallerTool, chatNameOf, type DeclaredTools } from './tools.ts'

/** The tool fields of a chat request; absent when there is nothing to send. */
export interface ToolFields {
  tools?: JsonObject[]
  tool_choice?: string | JsonObject
  parallel_tool_calls?: boolean
}

/**
 * An agent that offers a search does not depend on it: without one the model answers from what it knows, and with the
 * tools declared up front.
 */
const HINTS = /^(web|tool)_search[a-z0-9_]{0,40}$/

/** All tool fields together, because each depends on the others. `ignored` gets the names of dropped hints. */
export function toolFields(request: JsonObject, declared: DeclaredTools, ignored: string[]): ToolFields {
  for (const { type, path } of declared.hosted) {
    if (!HINTS.test(type)) {
      refuse(
        worded`${path}.type: ${quoted(type)} is a tool of the provider; only an entry that speaks the Responses API has it`,
      )
    }
    ignored.push(`tools.${type}`)
  }
  const choice = request['tool_choice'] ?? null
  const allowed = isJsonObject(choice) && choice['type'] === 'allowed_tools' ? allowedNames(choice) : null
  const tools = allowed === null ? declared.own : declared.own.filter(({ chatName }) => allowed.has(chatName))
  if (tools.length === 0) {
    if (choice === 'required' || isJsonObject(choice)) noTool(declared)
    return {}
  }
  const fields: ToolFields = { tools: tools.map(chatTool) }
  const chosen = chatChoice(choice)
  if (chosen !== null) fields.tool_choice = chosen
  const { parallel_tool_calls: isParallel } = request
  if (typeof isParallel === 'boolean') fields.parallel_tool_calls = isParallel
  return fields
}

/** A tool is required and none of the caller's own can be called. */
function noTool({ hosted: [hosted] }: DeclaredTools): never {
  if (hosted === undefined) return mistake(worded`tool_choice: a tool is required, but the request has none`)
  return refuse(
    worded`tool_choice: a tool is required, and ${quoted(hosted.type)} is a tool of the provider; only an entry that speaks the Responses API has it`,
  )
}

function chatTool({ kind, chatName, definition }: CallerTool): JsonObject {
  const { description, parameters, strict } = definition
  if (kind === 'custom') return { type: 'function', function: { name: chatName, ...wrapped(definition) } }
  const called: JsonObject = { name: chatName }
  if (typeof description === 'string') called['description'] = description
  if (isJsonObject(parameters)) called['parameters'] = parameters
  if (typeof strict === 'boolean') called['strict'] = strict
  return { type: 'function', function: called }
}

/** A tool whose input is text: in chat a function with that text as its only argument. */
function wrapped({ description, format }: JsonObject): JsonObject {
  const words = [typeof description === 'string' ? description : '', grammarWords(format)].filter((each) => each !== '')
  return {
    ...(words.length === 0 ? {} : { description: words.join('\n\n') }),
    parameters: {
      type: 'object',
      properties: { input: { type: 'string', description: 'The whole input of the tool, as text.' } },
      required: ['input'],
      additionalProperties: false,
    },
  }
}

/** No other family can enforce a grammar, so the prompt describes it. */
function grammarWords(format: unknown): string {
  if (!isJsonObject(format) || format['type'] !== 'grammar' || typeof format['definition'] !== 'string') return ''
  return `The input follows this ${format['syntax'] === 'regex' ? 'regular expression' : 'grammar'}:\n${format['definition']}`
}

function chatChoice(choice: unknown): string | JsonObject | null {
  if (choice === null) return null
  if (!isJsonObject(choice)) {
    if (choice === 'auto' || choice === 'none' || choice === 'required') return choice
    return mistake(worded`tool_choice: ${quoted(choice)} is not a choice`)
  }
  switch (choice['type']) {
    case 'function':
    case 'custom':
      return { type: 'function', function: { name: chosenName(choice, 'tool_choice') } }
    case 'allowed_tools':
      return choice['mode'] === 'required' ? 'required' : 'auto'
    default:
      return refuse(
        worded`tool_choice.type: ${quoted(choice['type'])} is a tool of the provider; only an entry that speaks the Responses API has it`,
      )
  }
}

function chosenName(choice: JsonObject, path: string): string {
  return chatNameOf(choice['namespace'], requiredText(choice['name'], `${path}.name`))
}

/** The other tools are not sent: every family understands that. */
function allowedNames({ tools }: JsonObject): Set<string> {
  if (!Array.isArray(tools) || tools.length === 0) return mistake(worded`tool_choice.tools: expected at least one tool`)
  const names = tools.map((tool, at) => {
    const path = `tool_choice.tools[${at}]`
    if (!isJsonObject(tool)) return mistake(worded`${path}: expected an object`)
    if (typeof tool['type'] === 'string' && HINTS.test(tool['type'])) return null
    if (tool['type'] === 'function' || tool['type'] === 'custom') return chosenName(tool, path)
    return refuse(worded`${path}.type: ${quoted(tool['type'])} is not supported by this entry`)
  })
  return new Set(names.filter((name) => name !== null))
}
