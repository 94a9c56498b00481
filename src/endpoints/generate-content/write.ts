import { z } from 'zod'
import { NO_USAGE } from '../../domain/pricing/usage.ts'
import type { Answer, Stamp } from '../../domain/request/answer.ts'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import type { ContentsRequest } from '../../domain/request/contents.ts'
import { callPart, finishReasonOf, showsThoughts, signedParts, usageMetadata } from './answer-parts.ts'
import { signatureOf } from './signatures.ts'
import { callersNames } from './tool-names.ts'

export const GeneratedContent = z.looseObject({
  candidates: z
    .array(
      z.looseObject({
        content: z
          .looseObject({ role: z.string().optional(), parts: z.array(z.looseObject({})).optional() })
          .optional(),
        finishReason: z.string().optional(),
        index: z.int().optional(),
      }),
    )
    .optional(),
  usageMetadata: z.looseObject({ totalTokenCount: z.int().optional() }).optional(),
  modelVersion: z
    .string()
    .optional()
    .describe("The provider's own where it speaks this format; elsewhere as the caller sent it."),
  responseId: z.string().optional().describe("The provider's own where it speaks this format."),
})

/** The provider's own answer as it is; a completion in this format. */
export function writeContents(answer: Answer, stamp: Stamp, request: ContentsRequest): string {
  const { json, body } = answer
  if (json !== undefined) return json
  return JSON.stringify(body['choices'] === undefined ? body : contentsOf(answer, stamp, request))
}

function contentsOf(answer: Answer, stamp: Stamp, request: ContentsRequest): JsonObject {
  const { body, usage, finishReason, reasoning = [] } = answer
  const { choices } = body
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
  const message = isJsonObject(choice) && isJsonObject(choice['message']) ? choice['message'] : {}
  const thoughts = showsThoughts(request) ? thoughtsOf(answer, message) : []
  const parts = [...thoughts, ...texts(message), ...calls(message['tool_calls'], callersNames(request))]
  const content = { role: 'model', parts: signedParts(parts, signatureOf(reasoning, stamp.sealing)) }
  return {
    candidates: [{ content, finishReason: finishReasonOf(finishReason), index: 0 }],
    usageMetadata: usageMetadata(usage ?? NO_USAGE),
    modelVersion: stamp.model,
    responseId: stamp.id,
  }
}

function thoughtsOf({ reasoning }: Answer, message: JsonObject): JsonObject[] {
  const said = reasoning?.map((block) => (block.type === 'thinking' ? block.thinking : '')).join('')
  const text = said ?? message['reasoning_content'] ?? message['reasoning']
  return typeof text === 'string' && text !== '' ? [{ text, thought: true }] : []
}

function texts({ content, refusal }: JsonObject): JsonObject[] {
  const parts = [Array.isArray(content) ? content.map(textOfPart).join('') : content, refusal]
  return parts.flatMap((text) => (typeof text === 'string' && text !== '' ? [{ text }] : []))
}

function textOfPart(part: unknown): string {
  return isJsonObject(part) && typeof part['text'] === 'string' ? part['text'] : ''
}

function calls(listed: unknown, callersName: (name: string) => string): JsonObject[] {
  if (!Array.isArray(listed)) return []
  return listed.flatMap((call: unknown, at) => {
    const called = isJsonObject(call) ? call['function'] : undefined
    if (!isJsonObject(call) || !isJsonObject(called) || typeof called['name'] !== 'string') return []
    const id = typeof call['id'] === 'string' && call['id'] !== '' ? call['id'] : `call_${at}`
    return [callPart(id, callersName(called['name']), called['arguments'])]
  })
}
