import { isJsonObject } from '../../../domain/request/call-request.ts'
import type { Draft } from './draft.ts'
import {
  readMaxTokens,
  readMessages,
  readReasoningEffort,
  readResponseFormat,
  readServiceTier,
  readStop,
  readStreamOptions,
  readUser,
} from './field-readers.ts'

type Disposition =
  | { kind: 'verbatim' }
  | { kind: 'map'; read: (value: unknown, draft: Draft) => void }
  /** Dropped and reported, unless it has no effect. */
  | { kind: 'ignore'; unless: unknown }
  | { kind: 'refuse'; when: (value: unknown) => boolean }

const VERBATIM: Disposition = { kind: 'verbatim' }
const IGNORE: Disposition = { kind: 'ignore', unless: undefined }
const REFUSE: Disposition = { kind: 'refuse', when: () => true }
/** Read last, because it depends on the others. */
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
 * Every field of the common schema. A hint may be dropped without changing the caller's result; anything else must be
 * honoured or refused. A field without a row is refused too.
 */
export const FIELDS: ReadonlyMap<string, Disposition> = new Map<string, Disposition>([
  ['model', LATER],
  ['messages', map(readMessages)],
  ['temperature', VERBATIM],
  ['top_p', VERBATIM],
  ['max_tokens', map(readMaxTokens)],
  ['max_completion_tokens', map(readMaxTokens)],
  ['stop', map(readStop)],
  ['stream', LATER],
  ['stream_options', map(readStreamOptions)],
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
  ['logprobs', refuseWhen(isNotFalse)],
  ['top_logprobs', refuseWhen(isAbove(0))],
  ['logit_bias', refuseWhen((value) => !isJsonObject(value) || Object.keys(value).length > 0)],
  ['modalities', refuseWhen((value) => !Array.isArray(value) || value.some((modality) => modality !== 'text'))],
  ['audio', REFUSE],
  ['web_search_options', REFUSE],
  ['moderation', REFUSE],
  ['store', refuseWhen(isNotFalse)],
])

function isAbove(limit: number): (value: unknown) => boolean {
  return (value) => typeof value !== 'number' || value > limit
}

function isNotFalse(value: unknown): boolean {
  return value !== false
}
