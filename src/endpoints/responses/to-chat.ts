import type { Bridge, Bridged, BridgeTarget } from '../../domain/request/bridge.ts'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import type { ChatRequest } from '../../domain/request/chat.ts'
import { isCompaction, summaryRequest } from '../../domain/request/compaction.ts'
import { Rejection, refuse } from '../../domain/request/rejection.ts'
import type { ResponsesRequest } from '../../domain/request/responses.ts'
import { worded } from '../../domain/wording/worded.ts'
import { toolFields } from './chat-tools.ts'
import { conversationOf } from './conversation.ts'
import { readFields } from './fields.ts'
import { declaredTools } from './tools.ts'

/** How requests reach entries that speak only chat. */
export const bridge: Bridge<ResponsesRequest, ChatRequest> = { toHub: toChat, answerShape, needsText: isCompaction }

export function toChat(
  asked: ResponsesRequest,
  { sealing, refusesCompaction }: Omit<BridgeTarget, 'model'>,
): Bridged<ChatRequest> {
  const ignored = new Set<string>()
  try {
    const asksForSummary = isCompaction(asked)
    if (asksForSummary && refusesCompaction === true) refuse(REFUSED)
    const request = asksForSummary ? summaryRequest(asked) : asked
    const fields = readFields(request, ignored)
    const dropped: string[] = []
    const tools = toolFields(request, declaredTools(request), dropped)
    const messages = conversationOf(request, ignored, sealing)
    const chat: JsonObject = { model: request.model, messages, ...fields, ...tools }
    return { kind: 'bridged', request: chat as ChatRequest, ignored: [...new Set(dropped), ...ignored] }
  } catch (error) {
    if (error instanceof Rejection) return error.rejected
    throw error
  }
}

const REFUSED = worded`input: this route makes no summaries (compaction: refuse); start a new session, or let the client write the summary itself`

/** How an answer is read depends on whether JSON was asked for; what was said before does not matter. */
function answerShape(request: ResponsesRequest): ChatRequest {
  const { model, stream, text, service_tier } = request
  const shape: JsonObject = { model, messages: [{ role: 'user', content: '' }] }
  if (stream === true) shape['stream'] = true
  if (typeof service_tier === 'string') shape['service_tier'] = service_tier
  const format = isJsonObject(text) && !isCompaction(request) ? text['format'] : undefined
  if (isJsonObject(format) && typeof format['type'] === 'string') shape['response_format'] = { type: format['type'] }
  return shape as ChatRequest
}
