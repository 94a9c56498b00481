import { promptTokens, type TokenUsage } from '../../domain/pricing/usage.ts'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import { type ContentsRequest, fieldOf, objectField } from '../../domain/request/contents.ts'
import { checkFaithful } from '../../domain/request/faithful.ts'

/** A caller who did not ask for thoughts may show every text. */
export function showsThoughts(request: ContentsRequest): boolean {
  const config = objectField(request, 'generationConfig')
  const thinking = config === null ? null : objectField(config, 'thinkingConfig')
  return thinking !== null && fieldOf(thinking, 'includeThoughts') === true
}

/** Why an answer ended, in this format: calls of tools are an ordinary end. */
export function finishReasonOf(reason: string | null): string {
  switch (reason) {
    case 'length':
      return 'MAX_TOKENS'
    case 'content_filter':
      return 'SAFETY'
    default:
      return 'STOP'
  }
}

/** The prompt includes what came from a cache; the answer excludes thoughts. */
export function usageMetadata(usage: TokenUsage): JsonObject {
  const prompt = promptTokens(usage)
  const counts: JsonObject = { promptTokenCount: prompt }
  if (usage.cachedInput > 0) counts['cachedContentTokenCount'] = usage.cachedInput
  counts['candidatesTokenCount'] = usage.output - usage.reasoning
  if (usage.reasoning > 0) counts['thoughtsTokenCount'] = usage.reasoning
  counts['totalTokenCount'] = prompt + usage.output
  return counts
}

/** Clients send the id back with the result. */
export function callPart(id: string, name: string, written: unknown): JsonObject {
  return { functionCall: { id, name, args: argsOf(written) } }
}

/** Clients expect an object. What is none stays readable. */
function argsOf(written: unknown): JsonObject {
  if (isJsonObject(written)) return written
  if (typeof written !== 'string' || written.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(written)
    checkFaithful(value)
    return isJsonObject(value) ? value : { raw_arguments: written }
  } catch {
    return { raw_arguments: written }
  }
}

/** With the signature in the part that clients send back: the first call, else the last text. */
export function signedParts(parts: readonly JsonObject[], signature: string | null): JsonObject[] {
  if (signature === null) return [...parts]
  const call = parts.findIndex((part) => part['functionCall'] !== undefined)
  const at = call >= 0 ? call : parts.findLastIndex((part) => part['thought'] !== true)
  if (at < 0) return [...parts, { text: '', thoughtSignature: signature }]
  return parts.map((part, place) => (place === at ? { ...part, thoughtSignature: signature } : part))
}
