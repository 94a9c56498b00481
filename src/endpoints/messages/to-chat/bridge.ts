import type { Bridge } from '../../../domain/request/bridge.ts'
import type { JsonObject } from '../../../domain/request/call-request.ts'
import type { ChatRequest } from '../../../domain/request/chat.ts'
import type { MessagesRequest } from '../../../domain/request/messages.ts'
import { Rejection } from '../../../domain/request/rejection.ts'
import { conversation } from './conversation.ts'
import { type Draft, readField } from './fields.ts'
import type { Notes } from './notes.ts'
import { systemMessages } from './system.ts'
import { toolFields } from './tools.ts'

/** Messages as chat, for families that do not speak this format. */
export const bridge: Bridge<MessagesRequest, ChatRequest> = {
  toHub(request, { takesMarkers }) {
    try {
      const notes: Notes = { ignored: new Set(), takesMarkers: takesMarkers === true }
      return { kind: 'bridged', request: chatRequest(request, notes), ignored: [...notes.ignored] }
    } catch (error) {
      if (error instanceof Rejection) return error.rejected
      throw error
    }
  },
  // Nothing that changes how a completion is read is ever asked for.
  answerShape: ({ model }) => ({ model, messages: [] }),
}

function chatRequest(request: MessagesRequest, notes: Notes): ChatRequest {
  const fields: JsonObject = {}
  const draft: Draft = { request, fields, ignored: notes.ignored }
  for (const name of Object.keys(request)) {
    const value = request[name]
    if (value !== null && value !== undefined) readField(name, value, draft)
  }
  const messages = [...systemMessages(request.system, notes), ...conversation(request.messages, notes)]
  return { model: request.model, messages, ...fields, ...toolFields(request, notes) } as ChatRequest
}
