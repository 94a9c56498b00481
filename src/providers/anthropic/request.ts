import { type ChatRequest, isJsonObject, type JsonObject } from '../../domain/chat.ts'
import type { Target, Translation } from '../family.ts'
import { shown } from './content-parts.ts'
import { conversationOf } from './messages.ts'
import { type Notes, newNotes } from './notes.ts'
import { reasoningFor } from './reasoning-effort.ts'
import { mistake, Rejection, refuse, refuseConflict } from './rejection.ts'
import { outputFormat } from './response-format.ts'
import { toolFields } from './tool-choice.ts'
import { opaqueUserId } from './user-id.ts'

/** The contract's default; the API demands the field. */
const DEFAULT_MAX_TOKENS = 1024

/** The translation while the caller's fields are read one by one. */
interface Draft {
  request: JsonObject
  target: Target
  body: JsonObject
  notes: Notes
  toolNames: ReadonlySet<string>
}

type Disposition =
  | { kind: 'verbatim' }
  | { kind: 'map'; read: (value: unknown, draft: Draft) => void }
  /** Dropped and reported, unless it says nothing. */
  | { kind: 'ignore'; unless: unknown }
  | { kind: 'refuse'; when: (value: unknown) => boolean }

const VERBATIM: Disposition = { kind: 'verbatim' }
const IGNORE: Disposition = { kind: 'ignore', unless: undefined }
const REFUSE: Disposition = { kind: 'refuse', when: () => true }
/** Read after the others, because it depends on them. */
const LATER: Disposition = { kind: 'map', read: () => undefined }

function map(read: (value: unknown, draft: Draft) => void): Disposition {
  return { kind: 'map', read }
}

function ignoreUnless(unless: unknown): Disposition {
  return { kind: 'ignore', unless }
}

function refuseWhen(when: (value: unknown) => boolean): Disposition {
  return { kind: 'refuse', when }
}

/**
 * Every field of the common schema (translation.md 1.1). A hint may be lost without changing what the caller gets
 * back; a contract may not, so it is refused. A field without a row is refused too.
 */
const FIELDS: ReadonlyMap<string, Disposition> = new Map<string, Disposition>([
  ['model', LATER],
  ['messages', map(readMessages)],
  ['temperature', VERBATIM],
  ['top_p', VERBATIM],
  ['max_tokens', map(readMaxTokens)],
  ['max_completion_tokens', map(readMaxTokens)],
  ['stop', map(readStop)],
  ['stream', LATER],
  ['stream_options', IGNORE],
  ['tools', LATER],
  ['tool_choice', LATER],
  ['parallel_tool_calls', LATER],
  ['functions', LATER],
  ['function_call', LATER],
  ['response_format', map(readResponseFormat)],
  ['reasoning_effort', map(readReasoningEffort)],
  ['safety_identifier', map(readUser)],
  ['user', map(readUser)],
  ['metadata', IGNORE],
  ['service_tier', map(readServiceTier)],
  ['prompt_cache_key', IGNORE],
  ['prompt_cache_retention', IGNORE],
  ['prompt_cache_options', IGNORE],
  ['seed', IGNORE],
  ['frequency_penalty', ignoreUnless(0)],
  ['presence_penalty', ignoreUnless(0)],
  ['verbosity', IGNORE],
  ['prediction', IGNORE],
  ['n', refuseWhen(isAbove(1))],
  ['logprobs', refuseWhen(isTrue)],
  ['top_logprobs', refuseWhen(isAbove(0))],
  ['logit_bias', refuseWhen((value) => !isJsonObject(value) || Object.keys(value).length > 0)],
  ['modalities', refuseWhen((value) => !Array.isArray(value) || value.some((modality) => modality !== 'text'))],
  ['audio', REFUSE],
  ['web_search_options', REFUSE],
  ['moderation', REFUSE],
  ['store', refuseWhen(isTrue)],
])

/** The caller's request as a Messages API request. */
export function toWire(request: ChatRequest, target: Target): Translation {
  try {
    return translated(request, target)
  } catch (error) {
    if (error instanceof Rejection) return error.translation
    throw error
  }
}

function translated(request: unknown, target: Target): Translation {
  if (!isJsonObject(request)) return mistake('The body must be a JSON object.')
  const body: JsonObject = { model: target.model, max_tokens: DEFAULT_MAX_TOKENS }
  const draft: Draft = { request, target, body, notes: newNotes(), toolNames: new Set() }
  for (const name of Object.keys(request)) {
    const value = request[name]
    if (value !== null && value !== undefined) readField(name, value, draft)
  }
  if (body['messages'] === undefined) return mistake('messages: expected an array')
  Object.assign(body, toolFields(request, draft.toolNames))
  return { kind: 'wire', body, ignored: [...draft.notes.ignored] }
}

function readField(name: string, value: unknown, draft: Draft): void {
  const field = FIELDS.get(name) ?? refuse(`unknown parameter ${shown(name)}`)
  switch (field.kind) {
    case 'verbatim':
      draft.body[name] = value
      break
    case 'map':
      field.read(value, draft)
      break
    case 'ignore':
      if (value !== field.unless) draft.notes.ignored.add(name)
      break
    case 'refuse':
      if (field.when(value)) refuse(`${name}: this value is not supported by this provider`)
  }
}

function isAbove(limit: number): (value: unknown) => boolean {
  return (value) => typeof value !== 'number' || value > limit
}

function isTrue(value: unknown): boolean {
  return value !== false
}

function readMessages(value: unknown, draft: Draft): void {
  const { system, messages, toolNames } = conversationOf(value, draft.notes)
  if (system !== undefined) draft.body['system'] = system
  draft.body['messages'] = messages
  draft.toolNames = toolNames
}

function readMaxTokens(value: unknown, draft: Draft): void {
  const { max_tokens: older, max_completion_tokens: newer } = draft.request
  if ((older ?? value) !== (newer ?? value)) {
    refuseConflict('max_tokens and max_completion_tokens differ: this provider takes one limit')
  }
  draft.body['max_tokens'] = value
}

/** Blank entries are passed on: leaving them out would silently change where the output ends. */
function readStop(value: unknown, draft: Draft): void {
  if (Array.isArray(value) && value.length === 0) return
  draft.body['stop_sequences'] = Array.isArray(value) ? value : [value]
}

function readResponseFormat(value: unknown, draft: Draft): void {
  const format = outputFormat(value)
  if (format !== null) addOutputConfig(draft, { format })
}

function readReasoningEffort(value: unknown, draft: Draft): void {
  const { thinking, effort, isReported } = reasoningFor(value, draft.target)
  if (thinking !== null) draft.body['thinking'] = { type: thinking }
  if (effort !== null) addOutputConfig(draft, { effort })
  if (isReported) draft.notes.ignored.add('reasoning_effort')
}

function addOutputConfig(draft: Draft, setting: JsonObject): void {
  const present = draft.body['output_config']
  draft.body['output_config'] = isJsonObject(present) ? { ...present, ...setting } : setting
}

function readUser(_: unknown, { request, body }: Draft): void {
  const user = request['safety_identifier'] ?? request['user']
  if (typeof user === 'string' && user !== '') body['metadata'] = { user_id: opaqueUserId(user) }
}

function readServiceTier(value: unknown, draft: Draft): void {
  if (value === 'auto') return
  if (value !== 'default') refuse(`service_tier: ${shown(value)} is not supported by this provider`)
  draft.body['service_tier'] = 'standard_only'
}
