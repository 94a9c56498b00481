import { attributionOf } from '../../domain/attribution.ts'
import { contractError } from '../../domain/errors.ts'
import { type ChatRequest, ChatRequestSchema } from '../../domain/request/chat.ts'
import { bearerKey } from '../bearer-key.ts'
import { effectsBy } from '../effects.ts'
import type { Endpoint } from '../endpoint.ts'
import { chatPrompt } from '../prompt-source.ts'
import { chatToolUses } from '../tool-uses.ts'
import { chatEvents } from './events.ts'
import { promptTokens } from './prompt-bound.ts'
import { readChat } from './read.ts'
import { Completion, writeCompletion } from './write.ts'

export const chatCompletions: Endpoint<ChatRequest> = {
  name: 'chat',
  path: '/v1/chat/completions',
  operation: 'chat',
  idPrefix: 'chatcmpl_',
  fallsBackTo: 'any-model',
  keyOf: bearerKey,
  read: readChat,
  promptTokens,
  attribution: ({ user, safety_identifier: identifier, metadata }) => attributionOf(identifier ?? user, metadata),
  effects: effectsBy(['tools', 'functions', 'web_search_options']),
  toolUses: chatToolUses,
  promptSource: chatPrompt,
  write: writeCompletion,
  stream: chatEvents,
  error: contractError,
  page: {
    operationId: 'v1.chat.completions',
    summary: 'Create a chat completion',
    request: ChatRequestSchema,
    requestNotes:
      'Fields that are not listed pass through. A body with `input` instead of `messages`, as of the Responses API, is understood. `stream: true` needs streaming switched on; otherwise the answer is 501.',
    example: { model: 'fast', messages: [{ role: 'user', content: 'hello' }] },
    answer: Completion,
    answerNotes: 'The completion',
  },
}
