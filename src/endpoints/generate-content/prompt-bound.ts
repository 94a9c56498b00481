import type { PromptTokens } from '../../domain/request/bounds.ts'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import { type ContentsRequest, fieldOf, objectField, partsOf } from '../../domain/request/contents.ts'
import { IMAGE_TOKENS, INSTRUCTION_TOKENS } from '../chat-completions/prompt-bound.ts'
import { hasOnly, newParts, type PromptParts, promptOf, textBytes } from '../prompt-parts.ts'

const TEXT_FIELDS: ReadonlySet<string> = new Set([
  ...['text', 'thought', 'thoughtSignature', 'thought_signature', 'functionCall', 'function_call'],
])

/** As for chat: bytes bound the tokens of a text, images have their own bound, what a provider keeps has none. */
export function promptTokens(request: ContentsRequest, bytes: number | null = null): PromptTokens {
  if ((fieldOf(request, 'cachedContent') ?? null) !== null) return promptOf(null)
  const instructions = instructionTokens(request)
  if (instructions === null) return promptOf(null)
  const parts = newParts()
  countAll(partsOf(request.contents), parts)
  const system = fieldOf(request, 'systemInstruction')
  if (isJsonObject(system) && Array.isArray(system['parts'])) countAll(system['parts'].filter(isJsonObject), parts)
  const { images, hasFile, hasUnknown } = parts
  if (hasFile) return promptOf(null)
  // Schemas can grow: a provider may spell out numbers such as 1e20.
  if (images.size === 0 && instructions === 0 && bytes !== null) return promptOf(bytes, hasUnknown)
  const text = textBytes(request, parts)
  return promptOf(text + images.size * IMAGE_TOKENS + instructions, hasUnknown, images.size > 0)
}

/** Null: a tool of the provider may bring in anything. */
function instructionTokens(request: ContentsRequest): number | null {
  const { tools } = request
  const config = objectField(request, 'generationConfig')
  const hasFormat = config !== null && Object.keys(config).some((name) => /^_?response_?(?:json)?_?schema$/i.test(name))
  let tokens = hasFormat ? INSTRUCTION_TOKENS : 0
  for (const tool of Array.isArray(tools) ? tools : []) {
    if (!isJsonObject(tool) || !hasOnly(tool, FUNCTIONS)) return null
    tokens += INSTRUCTION_TOKENS
  }
  return tokens
}

const FUNCTIONS: ReadonlySet<string> = new Set(['functionDeclarations', 'function_declarations'])

function countAll(listed: Iterable<JsonObject>, parts: PromptParts): void {
  for (const part of listed) if (!hasOnly(part, TEXT_FIELDS)) countPart(part, parts)
}

function countPart(part: JsonObject, parts: PromptParts): void {
  const inline = objectField(part, 'inlineData')
  const result = objectField(part, 'functionResponse')
  if (inline !== null) {
    const type = fieldOf(inline, 'mimeType')
    if (typeof type === 'string' && /^image\//i.test(type)) parts.images.add(inline)
    else parts.hasFile = true
  } else if (result !== null) {
    const { parts: attached } = result
    if (Array.isArray(attached)) countAll(attached.filter(isJsonObject), parts)
  } else if (objectField(part, 'fileData') !== null) parts.hasFile = true
  else parts.hasUnknown = true
}
