import type { ChatRequest } from '../../domain/request/chat.ts'
import type { Translator } from '../family.ts'
import { chat as vendorChat } from '../openai/chat/chat.ts'
import { openTarget } from './endpoint.ts'

/** Compatible, and not the vendor whose format it is: it knows the older names. */
const COMPATIBLE = 'https://aiplatform.googleapis.com'

/** Models of other publishers, named `publisher/model`, in the format that all of them share here. */
export const chat: Translator<ChatRequest> = {
  ...vendorChat,
  target: openTarget,
  toWire: (request, to) => vendorChat.toWire(request, { ...to, baseUrl: COMPATIBLE }),
  hasForeignErrors: true,
}
