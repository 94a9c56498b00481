import type { ChatRequest } from '../../../domain/request/chat.ts'
import type { Translator } from '../../family.ts'
import { costlyChat } from '../free-fields.ts'
import { CHAT_SPARES } from '../spares.ts'
import { targetOf } from '../target.ts'
import { toWire } from './request.ts'
import { fromWire } from './response.ts'
import { stream } from './stream.ts'

export const chat: Translator<ChatRequest> = {
  target: (provider) => targetOf(provider, '/chat/completions'),
  toWire(request, target) {
    const costly = target.isStrict === true ? costlyChat(request) : null
    if (costly !== null) return { kind: 'refused', code: 'unsupported_parameter', message: costly }
    return toWire(request, target)
  },
  fromWire,
  isVerbatim: true,
  spares: CHAT_SPARES,
  stream,
}
