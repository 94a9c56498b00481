import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { fieldOf } from '../../../domain/request/contents.ts'
import { mistake, quoted, refuse } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'
import { responseFormat } from '../../messages/to-chat/output-format.ts'
import { jsonSchema } from './schema.ts'

type Reader = (value: unknown, fields: JsonObject, ignored: Set<string>) => void

const PATH = 'generationConfig'

const as = (name: string): Reader => {
  return (value, fields) => {
    fields[name] = value
  }
}

/** Read together. */
const LATER: Reader = () => undefined

const refusedUnless = (name: string, isFine: (value: unknown) => boolean): Reader => {
  return (value) => {
    if (!isFine(value)) refuse(worded`${PATH}.${name}: this value is not supported by this provider`)
  }
}

/** Every setting with a meaning in chat, or that must not be dropped. What is not listed is a hint. */
const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['maxOutputTokens', as('max_completion_tokens')],
  ['temperature', as('temperature')],
  ['topP', as('top_p')],
  ['seed', as('seed')],
  ['presencePenalty', as('presence_penalty')],
  ['frequencyPenalty', as('frequency_penalty')],
  ['stopSequences', readStops],
  ['candidateCount', refusedUnless('candidateCount', (value) => value === 1)],
  ['responseLogprobs', refusedUnless('responseLogprobs', (value) => value === false)],
  ['responseModalities', refusedUnless('responseModalities', isTextOnly)],
  ['speechConfig', refusedUnless('speechConfig', () => false)],
  ['imageConfig', refusedUnless('imageConfig', () => false)],
  ['thinkingConfig', readThinking],
  ['responseMimeType', LATER],
  ['responseSchema', LATER],
  ['responseJsonSchema', LATER],
  ['_responseJsonSchema', LATER],
])

/** Of a field that is reported. */
const LONGEST_NAME = 64

export function readConfig(config: unknown, fields: JsonObject, ignored: Set<string>): void {
  if (config === null) return
  if (!isJsonObject(config)) mistake(worded`${PATH}: expected an object`)
  for (const name in config) {
    const value = config[name]
    if (value === null || value === undefined) continue
    const read = READERS.get(name) ?? READERS.get(camelCase(name))
    if (read === undefined) ignored.add(`${PATH}.${name.slice(0, LONGEST_NAME)}`)
    else read(value, fields, ignored)
  }
  readFormat(config, fields)
}

function camelCase(name: string): string {
  return name.replace(/(?<=[a-z])_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

/** What chat takes. */
const MOST_STOPS = 4

function readStops(value: unknown, fields: JsonObject): void {
  if (!Array.isArray(value)) mistake(worded`${PATH}.stopSequences: expected an array`)
  if (value.length > MOST_STOPS) {
    refuse(worded`${PATH}.stopSequences: more than ${MOST_STOPS} are not supported by this provider`)
  }
  if (value.length > 0) fields['stop'] = value
}

function isTextOnly(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string' && each.toUpperCase() === 'TEXT')
}

/** Thinking tokens, and the matching effort. */
const EFFORTS: readonly (readonly [below: number, effort: string])[] = [
  [1, 'none'],
  [4_000, 'low'],
  [16_000, 'medium'],
]

/** Whether thoughts are shown is decided where the answer is written. */
function readThinking(value: unknown, fields: JsonObject): void {
  if (!isJsonObject(value)) mistake(worded`${PATH}.thinkingConfig: expected an object`)
  const level = fieldOf(value, 'thinkingLevel')
  const budget = fieldOf(value, 'thinkingBudget')
  if (typeof level === 'string' && level !== 'THINKING_LEVEL_UNSPECIFIED')
    fields['reasoning_effort'] = level.toLowerCase()
  else if (typeof budget === 'number' && budget >= 0) {
    fields['reasoning_effort'] = EFFORTS.find(([below]) => budget < below)?.[1] ?? 'high'
  }
}

function readFormat(config: JsonObject, fields: JsonObject): void {
  const type = fieldOf(config, 'responseMimeType') ?? null
  const named = fieldOf(config, 'responseJsonSchema') ?? config['_responseJsonSchema'] ?? null
  const schema = named ?? fieldOf(config, 'responseSchema') ?? null
  if (type === 'text/plain') return
  if (type !== null && type !== 'application/json') {
    refuse(worded`${PATH}.responseMimeType: ${quoted(type)} is not supported by this provider`)
  }
  if (schema !== null) {
    if (!isJsonObject(schema)) mistake(worded`${PATH}.responseSchema: expected a schema`)
    const format = { type: 'json_schema', schema: jsonSchema(schema) }
    Object.assign(fields, responseFormat(format, `${PATH}.responseSchema`))
  } else if (type !== null) fields['response_format'] = { type: 'json_object' }
}
