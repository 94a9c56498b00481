import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { refuse, refuseConflict } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'
import { quoted } from './content-parts.ts'
import type { Draft } from './draft.ts'
import { conversationOf } from './messages.ts'
import { reasoningFor } from './reasoning-effort.ts'
import { outputFormat } from './response-format.ts'
import { opaqueUserId } from './user-id.ts'

export function readMessages(value: unknown, draft: Draft): void {
  const { system, messages, toolNames } = conversationOf(value, draft.notes)
  if (system !== undefined) draft.body['system'] = system
  draft.body['messages'] = messages
  draft.toolNames = toolNames
}

export function readMaxTokens(value: unknown, draft: Draft): void {
  const { max_tokens: older, max_completion_tokens: newer } = draft.request
  if ((older ?? value) !== (newer ?? value)) {
    refuseConflict(worded`max_tokens and max_completion_tokens differ: this provider takes one limit`)
  }
  draft.body['max_tokens'] = value
}

/** Blank entries are passed on: dropping them would silently change where the output ends. */
export function readStop(value: unknown, draft: Draft): void {
  if (Array.isArray(value) && value.length === 0) return
  draft.body['stop_sequences'] = Array.isArray(value) ? value : [value]
}

export function readResponseFormat(value: unknown, draft: Draft): void {
  const format = outputFormat(value)
  if (format !== null) addOutputConfig(draft, { format })
}

export function readReasoningEffort(value: unknown, draft: Draft): void {
  const { thinking, effort, isReported } = reasoningFor(value, draft.target)
  if (thinking !== null) draft.body['thinking'] = { type: thinking }
  if (effort !== null) addOutputConfig(draft, { effort })
  if (isReported) draft.notes.ignored.add('reasoning_effort')
}

function addOutputConfig(draft: Draft, setting: JsonObject): void {
  const present = draft.body['output_config']
  draft.body['output_config'] = isJsonObject(present) ? { ...present, ...setting } : setting
}

export function readUser(_: unknown, { request, body }: Draft): void {
  const user = request['safety_identifier'] ?? request['user']
  if (typeof user === 'string' && user !== '') body['metadata'] = { user_id: opaqueUserId(user) }
}

export function readServiceTier(value: unknown, draft: Draft): void {
  if (value === 'auto') return
  if (value !== 'default') refuse(worded`service_tier: ${quoted(value)} is not supported by this provider`)
  draft.body['service_tier'] = 'standard_only'
}

/** Usage always comes; whether the caller sees it is up to the endpoint. */
export function readStreamOptions(value: unknown, { request, notes }: Draft): void {
  const isHonoured = request['stream'] === true && isJsonObject(value)
  if (!isHonoured || Object.keys(value).some((name) => name !== 'include_usage')) notes.ignored.add('stream_options')
}
