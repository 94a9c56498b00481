import { createHash } from 'node:crypto'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import type { MessagesRequest } from '../../../domain/request/messages.ts'
import { mistake, quoted, refuse } from '../../../domain/request/rejection.ts'
import { named, worded } from '../../../domain/wording/worded.ts'
import { NO_THREAD } from '../no-thread.ts'
import { responseFormat } from './output-format.ts'

/** The translation in progress, while the caller's fields are read one by one. */
export interface Draft {
  request: MessagesRequest
  fields: JsonObject
  /** Dropped hints, named as the caller wrote them. */
  ignored: Set<string>
}

type Reader = (value: unknown, draft: Draft) => void

/** Read elsewhere: they depend on each other. */
const LATER: Reader = () => undefined

const VERBATIM = (name: string): Reader => {
  return (value, { fields }) => {
    fields[name] = value
  }
}

/** Every field with a meaning in chat, or that must not be dropped. What is not listed is a hint, often a beta's. */
const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['model', LATER],
  ['messages', LATER],
  ['system', LATER],
  ['tools', LATER],
  ['tool_choice', LATER],
  ['max_tokens', (value, { fields }) => Object.assign(fields, { max_completion_tokens: value })],
  ['temperature', VERBATIM('temperature')],
  ['top_p', VERBATIM('top_p')],
  ['stream', (value, { fields }) => value === true && Object.assign(fields, { stream: true })],
  ['stop_sequences', readStopSequences],
  ['metadata', readMetadata],
  ['thinking', readThinking],
  ['output_config', readOutputConfig],
  ['output_format', (value, { fields }) => Object.assign(fields, responseFormat(value, 'output_format'))],
  ['inference_geo', readRegion],
  ['thread', () => refuse(worded`${named(NO_THREAD)} Send the whole conversation.`)],
  ['container', refused('container')],
  ['mcp_servers', (value) => (Array.isArray(value) && value.length === 0) || refused('mcp_servers')()],
])

/** Of a field that is reported. */
const LONGEST_NAME = 64

export function readField(name: string, value: unknown, draft: Draft): void {
  const read = READERS.get(name)
  if (read === undefined) draft.ignored.add(name.slice(0, LONGEST_NAME))
  else read(value, draft)
}

function refused(name: string): () => never {
  return () => refuse(worded`${name}: this field is not supported by this provider`)
}

/** What chat takes. */
const MOST_STOPS = 4

function readStopSequences(value: unknown, { fields }: Draft): void {
  if (!Array.isArray(value)) mistake(worded`stop_sequences: expected an array`)
  if (value.length > MOST_STOPS)
    refuse(worded`stop_sequences: more than ${MOST_STOPS} are not supported by this provider`)
  if (value.length > 0) fields['stop'] = value
}

/** Longer identifiers are refused. */
const LONGEST_USER = 64

function readMetadata(value: unknown, { fields, ignored }: Draft): void {
  if (!isJsonObject(value)) mistake(worded`metadata: expected an object`)
  const { user_id: user, ...others } = value
  if (Object.keys(others).length > 0) ignored.add('metadata')
  if (typeof user !== 'string' || user === '') return
  fields['user'] = user.length <= LONGEST_USER ? user : createHash('sha256').update(user).digest('hex')
}

/** Thinking tokens, and the matching effort. */
const EFFORTS: readonly (readonly [below: number, effort: string])[] = [
  [4_000, 'low'],
  [16_000, 'medium'],
]

/** An effort that the caller names says more than a budget. */
function readThinking(value: unknown, { request, fields }: Draft): void {
  if (!isJsonObject(value)) mistake(worded`thinking: expected an object`)
  const { type, budget_tokens: budget } = value
  if (type === 'disabled') fields['reasoning_effort'] = 'none'
  if (type !== 'enabled' || typeof budget !== 'number' || effortIn(request.output_config) !== null) return
  fields['reasoning_effort'] = EFFORTS.find(([below]) => budget < below)?.[1] ?? 'high'
}

function effortIn(config: unknown): string | null {
  const effort = isJsonObject(config) ? config['effort'] : null
  return typeof effort === 'string' ? effort : null
}

function readOutputConfig(value: unknown, { request, fields, ignored }: Draft): void {
  if (!isJsonObject(value)) mistake(worded`output_config: expected an object`)
  const { effort: _, format, ...others } = value
  const effort = effortIn(value)
  const isOff = isJsonObject(request.thinking) && request.thinking['type'] === 'disabled'
  if (effort !== null && !isOff) fields['reasoning_effort'] = effort === 'max' ? 'xhigh' : effort
  if ((format ?? null) !== null) Object.assign(fields, responseFormat(format, 'output_config.format'))
  for (const name of Object.keys(others)) ignored.add(`output_config.${name.slice(0, LONGEST_NAME)}`)
}

/** A promise of place: only the vendor can keep it. */
function readRegion(value: unknown): void {
  if (value !== 'global') refuse(worded`inference_geo: ${quoted(value)} is not supported by this provider`)
}
