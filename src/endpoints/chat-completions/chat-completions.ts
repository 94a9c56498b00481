import { type ChatRequest, readChatRequest } from '../../domain/chat.ts'
import { errorBody } from '../../domain/errors.ts'
import { bearerKey } from '../bearer-key.ts'
import type { Endpoint } from '../endpoint.ts'
import { promptTokensBound } from './prompt-bound.ts'
import { writeCompletion } from './write.ts'

export const chatCompletions: Endpoint<ChatRequest> = {
  name: 'chat',
  path: '/v1/chat/completions',
  operation: 'chat',
  idPrefix: 'chatcmpl_',
  keyOf: bearerKey,
  read: readChatRequest,
  promptTokens: promptTokensBound,
  write: writeCompletion,
  error: errorBody,
}
