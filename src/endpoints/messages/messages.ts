import { attributionOf } from '../../domain/attribution.ts'
import { isJsonObject } from '../../domain/request/call-request.ts'
import { type MessagesRequest, MessagesRequestSchema, readMessagesRequest } from '../../domain/request/messages.ts'
import { bearerOrApiKey, unusedKey } from '../bearer-or-api-key.ts'
import { effectsBy } from '../effects.ts'
import type { Endpoint } from '../endpoint.ts'
import { messagesPrompt } from '../prompt-source.ts'
import { messagesToolUses } from '../tool-uses.ts'
import { messagesError } from './errors.ts'
import { messageEvents } from './events.ts'
import { promptTokens } from './prompt-bound.ts'
import { bridge } from './to-chat/bridge.ts'
import { shortenedTools } from './tool-names.ts'
import { Message, writeMessage } from './write.ts'

export const messages: Endpoint<MessagesRequest> = {
  name: 'messages',
  path: '/v1/messages',
  operation: 'chat',
  idPrefix: 'msg_',
  idHeader: 'request-id',
  fallsBackTo: 'any-model',
  ownsMetadata: true,
  keyOf: bearerOrApiKey,
  unusedKey,
  read: readMessagesRequest,
  promptTokens,
  attribution: ({ metadata }) => attributionOf(isJsonObject(metadata) ? metadata['user_id'] : null, null),
  effects: effectsBy(['tools', 'mcp_servers', 'container']),
  toolUses: messagesToolUses,
  promptSource: messagesPrompt,
  bridge,
  outline: (request) => ({ tools: shortenedTools(request) }),
  write: writeMessage,
  stream: messageEvents,
  error: messagesError,
  page: {
    operationId: 'v1.messages',
    summary: 'Create a message',
    request: MessagesRequestSchema,
    requestNotes:
      'Fields that are not listed pass through. `stream: true` needs streaming switched on; otherwise the answer is 501.',
    example: { model: 'fast', max_tokens: 1024, messages: [{ role: 'user', content: 'hello' }] },
    answer: Message,
    answerNotes: 'The message',
  },
}
