import { isJsonObject } from '../../../domain/request/call-request.ts'
import { mistake, quoted, refuse, refuseConflict } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'
import type { Draft } from './draft.ts'
import { readMessages } from './messages.ts'
import { readReasoningEffort } from './thinking.ts'

type Reader = (value: unknown, draft: Draft) => void

/** Read last, because it depends on the others. */
const LATER: Reader = () => undefined

/** The same value under the API's name. */
function setting(name: string): Reader {
  return (value, { config }) => {
    config[name] = value
  }
}

function ignored(field: string): Reader {
  return (_, draft) => void draft.ignored.add(field)
}

function refusedUnless(field: string, isFine: (value: unknown) => boolean): Reader {
  return (value) => {
    if (!isFine(value)) refuse(worded`${field}: this value is not supported by this provider`)
  }
}

const never = () => false
const isFalse = (value: unknown) => value === false

/**
 * Every field of the common schema. A hint may be dropped without changing the caller's result; anything else must be
 * honoured or refused. A field without a row is refused too.
 */
export const FIELDS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['model', LATER],
  ['messages', readMessages],
  ['temperature', setting('temperature')],
  ['top_p', setting('topP')],
  ['seed', setting('seed')],
  ['presence_penalty', setting('presencePenalty')],
  ['frequency_penalty', setting('frequencyPenalty')],
  ['n', setting('candidateCount')],
  ['max_tokens', readLimit],
  ['max_completion_tokens', readLimit],
  ['stop', readStop],
  ['stream', LATER],
  ['stream_options', readStreamOptions],
  ['tools', LATER],
  ['tool_choice', LATER],
  ['parallel_tool_calls', LATER],
  ['functions', LATER],
  ['function_call', LATER],
  ['response_format', readResponseFormat],
  ['reasoning_effort', readReasoningEffort],
  ['service_tier', readServiceTier],
  ...[
    'user',
    'safety_identifier',
    'metadata',
    'prompt_cache_key',
    'prompt_cache_retention',
    'prompt_cache_options',
    'verbosity',
    'prediction',
  ].map((field): [string, Reader] => [field, ignored(field)]),
  ['logprobs', refusedUnless('logprobs', isFalse)],
  ['top_logprobs', refusedUnless('top_logprobs', (value) => value === 0)],
  ['logit_bias', refusedUnless('logit_bias', (value) => isJsonObject(value) && Object.keys(value).length === 0)],
  [
    'modalities',
    refusedUnless('modalities', (value) => Array.isArray(value) && value.every((each) => each === 'text')),
  ],
  ['audio', refusedUnless('audio', never)],
  ['web_search_options', refusedUnless('web_search_options', never)],
  ['moderation', refusedUnless('moderation', never)],
  ['store', refusedUnless('store', isFalse)],
])

function readLimit(value: unknown, { request, config }: Draft): void {
  const { max_tokens: older, max_completion_tokens: newer } = request
  if ((older ?? value) !== (newer ?? value)) {
    refuseConflict(worded`max_tokens and max_completion_tokens differ: this provider takes one limit`)
  }
  config['maxOutputTokens'] = value
}

function readStop(value: unknown, { config }: Draft): void {
  const sequences = Array.isArray(value) ? value : [value]
  if (sequences.length > 0) config['stopSequences'] = sequences
}

/** Usage always comes; whether the caller sees it is up to the endpoint. */
function readStreamOptions(value: unknown, { request, ignored: dropped }: Draft): void {
  const isHonoured = request['stream'] === true && isJsonObject(value)
  if (!isHonoured || Object.keys(value).some((name) => name !== 'include_usage')) dropped.add('stream_options')
}

function readServiceTier(value: unknown, { body }: Draft): void {
  if (value === 'auto') return
  if (value !== 'default' && value !== 'flex' && value !== 'priority') {
    refuse(worded`service_tier: ${quoted(value)} is not supported by this provider`)
  }
  body['serviceTier'] = value === 'default' ? 'standard' : value
}

function readResponseFormat(format: unknown, { config }: Draft): void {
  if (!isJsonObject(format)) mistake(worded`response_format: expected an object`)
  switch (format['type']) {
    case 'text':
      return
    case 'json_object':
      config['responseMimeType'] = 'application/json'
      return
    case 'json_schema':
      config['responseMimeType'] = 'application/json'
      config['responseJsonSchema'] = schemaOf(format['json_schema'])
      return
    default:
      refuse(worded`response_format.type: ${quoted(format['type'])} is not supported by this provider`)
  }
}

function schemaOf(definition: unknown): unknown {
  if (!isJsonObject(definition)) return mistake(worded`response_format.json_schema: expected an object`)
  const schema = definition['schema'] ?? null
  if (schema === null) return refuse(worded`response_format.json_schema.schema: is required by this provider`)
  return isJsonObject(schema) ? schema : mistake(worded`response_format.json_schema.schema: expected an object`)
}
