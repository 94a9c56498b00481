import type { Provider } from '../../domain/provider.ts'
import type { ChatRequest } from '../../domain/request/chat.ts'
import type { CountTokensRequest, MessagesRequest } from '../../domain/request/messages.ts'
import type { HttpTarget } from '../../upstream/target.ts'
import { markBlocks } from '../anthropic/mark-prompt.ts'
import { countTokens as vendorCount } from '../anthropic/messages/count-tokens.ts'
import { forwarded as vendorForwarded } from '../anthropic/messages/forwarded.ts'
import { messages as vendorMessages } from '../anthropic/messages/messages.ts'
import { toWire } from '../anthropic/request/request.ts'
import { fromWire } from '../anthropic/response.ts'
import { SPARES } from '../anthropic/spares.ts'
import { stream } from '../anthropic/stream/stream.ts'
import type { Target, Translation, Translator } from '../family.ts'
import { publisherTarget } from './endpoint.ts'
import { CLAUDE_OMISSIONS, COUNT_OMISSIONS } from './omissions.ts'

/** The dialect that keeps all fields. Here it is a field of the body. */
const VERSION = 'vertex-2023-10-16'
const VERSION_HEADER = 'anthropic-version'

export function isClaude(model: string): boolean {
  return model.startsWith('claude-')
}

export const chat: Translator<ChatRequest> = {
  target,
  namesModel: true,
  toWire: (request, to) => enveloped(toWire(request, vendorTarget(to))),
  fromWire,
  markPrompt: markBlocks,
  stream,
}

export const messages: Translator<MessagesRequest> = {
  target,
  namesModel: true,
  toWire: (request, to) => enveloped(vendorMessages.toWire(request, vendorTarget(to))),
  fromWire: vendorMessages.fromWire,
  markPrompt: markBlocks,
  isVerbatim: true,
  hasForeignErrors: true,
  forwarded,
  spares: SPARES,
  omits: CLAUDE_OMISSIONS,
  ...(vendorMessages.stream === undefined ? {} : { stream: vendorMessages.stream }),
}

/** Here the model is in the body after all. */
export const countTokens: Translator<CountTokensRequest> = {
  target: (provider) => publisherTarget(provider, 'anthropic', 'count-tokens', 'rawPredict'),
  toWire(request, to) {
    const counted = vendorCount.toWire(request, to)
    return counted.kind === 'wire' ? { ...counted, body: { anthropic_version: VERSION, ...counted.body } } : counted
  },
  fromWire: vendorCount.fromWire,
  isVerbatim: true,
  hasForeignErrors: true,
  forwarded,
  spares: SPARES,
  omits: COUNT_OMISSIONS,
}

function target(provider: Provider, model: string, isStream?: boolean): HttpTarget {
  return publisherTarget(provider, 'anthropic', model, isStream === true ? 'streamRawPredict' : 'rawPredict')
}

/** The model as its vendor calls it, by which the translators know what it can do: a version comes after an `@`. */
function vendorTarget(to: Target): Target {
  return { ...to, model: to.model.replace(/@default$/, '').replace('@', '-') }
}

/** Model and streaming are in the path, and there are no tiers. */
function enveloped(translation: Translation): Translation {
  if (translation.kind !== 'wire') return translation
  const { model: _model, service_tier: tier, ...rest } = translation.body
  const ignored = (tier ?? null) === null ? translation.ignored : [...translation.ignored, 'service_tier']
  return { ...translation, body: { anthropic_version: VERSION, ...rest }, ignored }
}

/** Betas are a header here too; the version is not. */
function forwarded(headers: Iterable<readonly [name: string, value: string]>): Record<string, string> {
  const { [VERSION_HEADER]: _version, ...fields } = vendorForwarded(headers)
  return fields
}
