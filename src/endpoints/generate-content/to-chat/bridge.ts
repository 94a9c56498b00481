import type { Bridge } from '../../../domain/request/bridge.ts'
import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import type { ChatRequest } from '../../../domain/request/chat.ts'
import { type ContentsRequest, fieldOf } from '../../../domain/request/contents.ts'
import { mistake, quoted, Rejection, refuse, requiredText } from '../../../domain/request/rejection.ts'
import type { Sealing } from '../../../domain/request/sealing.ts'
import { worded } from '../../../domain/wording/worded.ts'
import { readConfig } from './config.ts'
import { conversation } from './conversation.ts'
import { toolFields } from './tools.ts'

/** This format as chat, for families that do not speak it. */
export const bridge: Bridge<ContentsRequest, ChatRequest> = {
  toHub(request, { sealing }) {
    try {
      const ignored = new Set<string>()
      return { kind: 'bridged', request: chatRequest(request, ignored, sealing), ignored: [...ignored] }
    } catch (error) {
      if (error instanceof Rejection) return error.rejected
      throw error
    }
  },
  // Nothing that changes how a completion is read is ever asked for.
  answerShape: ({ model }) => ({ model, messages: [] }),
}

const KNOWN: ReadonlySet<string> = new Set([
  ...['model', 'stream', 'contents', 'tools', 'toolConfig', 'tool_config', 'generationConfig', 'generation_config'],
  ...['systemInstruction', 'system_instruction', 'cachedContent', 'cached_content', 'serviceTier', 'service_tier'],
])

/** Of a field that is reported. */
const LONGEST_NAME = 64

function chatRequest(request: ContentsRequest, ignored: Set<string>, sealing: Sealing | undefined): ChatRequest {
  for (const name in request) {
    if (!KNOWN.has(name) && (request[name] ?? null) !== null) ignored.add(name.slice(0, LONGEST_NAME))
  }
  if ((fieldOf(request, 'cachedContent') ?? null) !== null) {
    refuse(worded`cachedContent: what one provider keeps is not readable for another; send the content itself`)
  }
  const fields: JsonObject = {}
  if (request.stream === true) fields['stream'] = true
  readTier(fieldOf(request, 'serviceTier') ?? null, fields)
  readConfig(fieldOf(request, 'generationConfig') ?? null, fields, ignored)
  const tools = toolFields(request, ignored)
  const system = systemText(fieldOf(request, 'systemInstruction') ?? null)
  const before: JsonObject[] = system === '' ? [] : [{ role: 'system', content: system }]
  const messages = [...before, ...conversation(request.contents, ignored, sealing)]
  return { model: request.model, messages, ...fields, ...tools } as ChatRequest
}

function readTier(tier: unknown, fields: JsonObject): void {
  if (tier === null || tier === 'unspecified') return
  if (tier !== 'standard' && tier !== 'flex' && tier !== 'priority') {
    refuse(worded`serviceTier: ${quoted(tier)} is not supported by this provider`)
  }
  fields['service_tier'] = tier === 'standard' ? 'default' : tier
}

/** A text, a part, parts, or a content. */
function systemText(system: unknown): string {
  const path = 'systemInstruction'
  if (system === null) return ''
  if (typeof system === 'string') return system
  const parts = Array.isArray(system) ? system : isJsonObject(system) ? (system['parts'] ?? [system]) : null
  const listed = isJsonObject(parts) ? [parts] : parts
  if (!Array.isArray(listed)) return mistake(worded`${path}: expected a content with parts`)
  const texts = listed.map((part: unknown, at) => {
    if (typeof part === 'string') return part
    if (!isJsonObject(part)) return mistake(worded`${path}.parts[${at}]: expected an object`)
    if (part['text'] === undefined && part['role'] !== undefined) return ''
    if (part['text'] === undefined) return refuse(worded`${path}.parts[${at}]: expected a text`)
    return requiredText(part['text'], `${path}.parts[${at}].text`)
  })
  return texts.filter((text) => text !== '').join('\n')
}
