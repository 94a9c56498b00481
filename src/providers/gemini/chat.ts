import type { ChatRequest } from '../../domain/request/chat.ts'
import { partsOf } from '../chat-chunks.ts'
import type { Translator } from '../family.ts'
import type { Door } from './door.ts'
import { toWire } from './request/request.ts'
import { fromWire } from './response.ts'
import { ContentStream } from './stream.ts'

/** Chat with the models behind a door. */
export function chatThrough(door: Door): Translator<ChatRequest> {
  return {
    target: (provider, model, isStream) =>
      door.target(provider, model, isStream === true ? 'streamGenerateContent' : 'generateContent'),
    namesModel: true,
    toWire: (request, target) => toWire(request, target, door),
    fromWire: (body, request, asked) => fromWire(body, request, door, asked),
    stream: { open: (request, asked) => new ContentStream(request, door, asked), partsOf },
  }
}
