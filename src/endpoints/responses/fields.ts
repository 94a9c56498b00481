import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import { mistake, quoted, refuse } from '../../domain/request/rejection.ts'
import { type Worded, worded } from '../../domain/wording/worded.ts'

/** What is written of a field into the chat request, or why it cannot be. `ignored` gets the names of dropped hints. */
type ReadField = (value: unknown, chat: JsonObject, ignored: Set<string>) => void

/**
 * Every field of the format that is not null. A hint may be dropped without changing the caller's result; anything else
 * must be honoured or refused. A field without a row is refused too.
 */
const FIELDS: ReadonlyMap<string, ReadField> = new Map<string, ReadField>([
  ...['model', 'input', 'instructions', 'tools', 'tool_choice', 'parallel_tool_calls'].map(readElsewhere),
  ['stream', (value, chat) => copyTrue('stream', value, chat)],
  ['max_output_tokens', as('max_completion_tokens')],
  ['temperature', as('temperature')],
  ['top_p', as('top_p')],
  ['user', as('user')],
  ['safety_identifier', as('safety_identifier')],
  ['service_tier', (value, chat) => void (value === 'auto' || as('service_tier')(value, chat, new Set()))],
  ['text', readText],
  ['reasoning', readReasoning],
  ['include', readInclude],
  ['store', unless((value) => value === true, 'store', worded`this entry keeps nothing; send "store": false`)],
  ['truncation', unless((value) => value !== 'disabled', 'truncation', worded`this entry cuts no input; leave it out`)],
  [
    'top_logprobs',
    unless((value) => value !== 0, 'top_logprobs', worded`this entry gives no log probabilities; leave it out`),
  ],
  ['background', unless((value) => value === true, 'background', worded`responses are not kept here; leave it out`)],
  ['previous_response_id', state('previous_response_id')],
  ['conversation', state('conversation')],
  ['prompt', state('prompt')],
  ...['metadata', 'stream_options', 'client_metadata'].map(ignore),
  ['prompt_cache_key', as('prompt_cache_key')],
  ['prompt_cache_options', as('prompt_cache_options')],
  ['prompt_cache_retention', as('prompt_cache_retention')],
])

export function readFields(request: JsonObject, ignored: Set<string>): JsonObject {
  const chat: JsonObject = {}
  for (const [name, value] of Object.entries(request)) {
    if (value === null || value === undefined) continue
    const read = FIELDS.get(name)
    if (read === undefined)
      refuse(worded`${name.slice(0, 60)}: only an entry that speaks the Responses API knows this field; leave it out`)
    read(value, chat, ignored)
  }
  return chat
}

function readElsewhere(name: string): [string, ReadField] {
  return [name, () => undefined]
}

function ignore(name: string): [string, ReadField] {
  return [name, (_value, _chat, ignored) => void ignored.add(name)]
}

function as(name: string): ReadField {
  return (value, chat) => {
    chat[name] = value
  }
}

function copyTrue(name: string, value: unknown, chat: JsonObject): void {
  if (value === true) chat[name] = true
}

function unless(isWrong: (value: unknown) => boolean, name: string, why: Worded): ReadField {
  return (value) => {
    if (isWrong(value)) refuse(worded`${name}: ${why}`)
  }
}

function state(name: string): ReadField {
  return () => refuse(worded`${name}: this entry keeps nothing between calls; send the items themselves as input`)
}

function readText(value: unknown, chat: JsonObject, ignored: Set<string>): void {
  if (!isJsonObject(value)) mistake(worded`text: expected an object`)
  const { format, verbosity } = value
  if ((verbosity ?? null) !== null) ignored.add('text.verbosity')
  const chosen = (format ?? null) === null ? null : responseFormat(format)
  if (chosen !== null) chat['response_format'] = chosen
}

/** The same as in chat, but flat. */
function responseFormat(format: unknown): JsonObject | null {
  if (!isJsonObject(format)) return mistake(worded`text.format: expected an object`)
  const { type, name, schema, strict, description } = format
  switch (type) {
    case 'text':
      return null
    case 'json_object':
      return { type }
    case 'json_schema': {
      const described = Object.entries({ name, description, schema, strict }).filter(
        ([, each]) => (each ?? null) !== null,
      )
      return { type, json_schema: Object.fromEntries(described) }
    }
    default:
      return refuse(worded`text.format.type: ${quoted(type)} is not supported by this entry`)
  }
}

/** Summaries are given where the model's thoughts are known at all. */
function readReasoning(value: unknown, chat: JsonObject, ignored: Set<string>): void {
  if (!isJsonObject(value)) mistake(worded`reasoning: expected an object`)
  for (const [name, each] of Object.entries(value)) {
    if (each === null || name === 'summary' || name === 'generate_summary') continue
    if (name === 'effort') chat['reasoning_effort'] = each
    else ignored.add(`reasoning.${name.slice(0, 60)}`)
  }
}

export const SEALED_REASONING = 'reasoning.encrypted_content'

function readInclude(value: unknown, _chat: JsonObject, ignored: Set<string>): void {
  if (!Array.isArray(value)) mistake(worded`include: expected an array`)
  for (const each of value) if (each !== SEALED_REASONING) ignored.add(`include.${String(each).slice(0, 60)}`)
}
