import type { ChatRequest } from '../../domain/request/chat.ts'
import type { Family, Translator } from '../family.ts'
import { isVendor } from '../pin.ts'
import { PINS } from './account-defaults.ts'
import { modelsFromWire } from './catalog.ts'
import { chatTarget, modelsTarget, PUBLIC_BASE } from './endpoint.ts'
import { failureFromWire } from './failure.ts'
import { markAutomatically } from './mark-prompt.ts'
import { countTokens } from './messages/count-tokens.ts'
import { messages } from './messages/messages.ts'
import { toWire } from './request/request.ts'
import { fromWire } from './response.ts'
import { stream } from './stream/stream.ts'

const builtin = {
  name: 'anthropic',
  apiKeyVariable: 'ANTHROPIC_API_KEY',
  baseUrlVariable: 'ANTHROPIC_BASE_URL',
  modelPrefixes: ['claude-'],
}

export const chat: Translator<ChatRequest> = {
  target: chatTarget,
  toWire,
  fromWire,
  markPrompt: markAutomatically,
  stream,
}

/** The Messages API, version 2023-06-01, and servers compatible with it. */
export const anthropicFamily: Family = {
  builtin,
  isAddressKnown: true,
  translators: { chat, messages, count_tokens: countTokens },
  operationOf: () => 'chat',
  modelsTarget,
  failureFromWire,
  modelsFromWire,
  requestIdHeader: 'request-id',
  versionHeader: 'anthropic-version',
  pins: PINS,
  isOwnService: (provider) => isVendor(provider, builtin.name, PUBLIC_BASE),
  batchPercent: 50,
  baseUrlHint: 'The base URL has no /v1. Does it contain an extra path?',
}
