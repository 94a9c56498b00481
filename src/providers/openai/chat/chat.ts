import type { ChatRequest } from '../../../domain/request/chat.ts'
import type { Translator } from '../../family.ts'
import { targetOf } from '../target.ts'
import { toWire } from './request.ts'
import { fromWire } from './response.ts'
import { stream } from './stream.ts'

export const chat: Translator<ChatRequest> = {
  target: (provider) => targetOf(provider, '/chat/completions'),
  toWire,
  fromWire,
  isVerbatim: true,
  stream,
}
