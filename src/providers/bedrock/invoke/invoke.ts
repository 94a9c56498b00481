import type { Provider } from '../../../domain/provider.ts'
import type { CallRequest } from '../../../domain/request/call-request.ts'
import type { ChatRequest } from '../../../domain/request/chat.ts'
import type { MessagesRequest } from '../../../domain/request/messages.ts'
import type { HttpTarget } from '../../../upstream/target.ts'
import { markBlocks } from '../../anthropic/mark-prompt.ts'
import { messages as vendorMessages } from '../../anthropic/messages/messages.ts'
import { toWire as chatToWire } from '../../anthropic/request/request.ts'
import { fromWire as chatFromWire } from '../../anthropic/response.ts'
import { SPARES } from '../../anthropic/spares.ts'
import { stream as chatStream } from '../../anthropic/stream/stream.ts'
import type { StreamTranslator, Translator } from '../../family.ts'
import { modelTarget } from '../endpoint.ts'
import { EVENT_STREAM } from '../framing/event-stream.ts'
import { CLAUDE_OMISSIONS } from '../omissions.ts'
import { settingsOf } from '../settings.ts'
import { carriedBetas, inEnvelope, vendorTarget } from './envelope.ts'
import { Unwrapped } from './unwrapped.ts'

/** Claude in its vendor's own format, with all that Converse has no words for. */
export const chat: Translator<ChatRequest> = {
  target,
  namesModel: true,
  toWire: (request, to) => inEnvelope(chatToWire(request, vendorTarget(to)), to),
  fromWire: chatFromWire,
  markPrompt: markBlocks,
  stream: unwrapped(chatStream),
}

export const messages: Translator<MessagesRequest> = {
  target,
  namesModel: true,
  toWire: (request, to) => inEnvelope(vendorMessages.toWire(request, vendorTarget(to)), to),
  fromWire: vendorMessages.fromWire,
  markPrompt: markBlocks,
  isVerbatim: true,
  hasForeignErrors: true,
  carried: carriedBetas,
  spares: SPARES,
  omits: CLAUDE_OMISSIONS,
  ...(vendorMessages.stream === undefined ? {} : { stream: unwrapped(vendorMessages.stream) }),
}

function unwrapped<Request extends CallRequest>(stream: StreamTranslator<Request>): StreamTranslator<Request> {
  return { ...stream, framing: EVENT_STREAM, open: (request) => new Unwrapped(stream.open(request)) }
}

function target(provider: Provider, model: string, isStream?: boolean): HttpTarget {
  const to = modelTarget(provider, model, isStream === true ? 'invoke-with-response-stream' : 'invoke')
  const { guardrail_id: id, guardrail_version: version } = settingsOf(provider)
  if (id === undefined || version === undefined) return to
  const guardrail = { 'x-amzn-bedrock-guardrailidentifier': id, 'x-amzn-bedrock-guardrailversion': version }
  return { ...to, headers: { ...to.headers, ...guardrail } }
}
