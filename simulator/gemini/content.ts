import { type JsonObject, numberOrNull, objectOrEmpty, objectsIn, stringOrNull } from '../json.ts'
import { newId } from '../random.ts'
import type { Ask, PlannedReply, ToolChoice } from '../reply.ts'
import { countPromptTokens } from '../tokens.ts'
import { isSigning } from './models.ts'

export function readContentAsk(body: JsonObject): Ask {
  const contents = objectsIn(body['contents'])
  const parts = contents.flatMap((content) => objectsIn(content['parts']))
  const results = objectsIn(contents.at(-1)?.['parts']).filter((part) => part['functionResponse'] !== undefined)
  const config = objectOrEmpty(body['generationConfig'])
  const declared = objectsIn(body['tools']).flatMap((tool) => objectsIn(tool['functionDeclarations']))
  const isJson = config['responseMimeType'] === 'application/json'
  const schema = config['responseJsonSchema']
  return {
    model: stringOrNull(body['model']) ?? '',
    lastUserText: lastUserText(contents),
    toolResult: results.length > 0 ? results.map(resultText).join(', ') : null,
    toolResults: parts.filter((part) => part['functionResponse'] !== undefined).length,
    tools: declared.map((tool) => ({
      name: stringOrNull(tool['name']) ?? '',
      schema: objectOrEmpty(tool['parametersJsonSchema'] ?? tool['parameters']),
    })),
    toolChoice: readToolChoice(body),
    parallelTools: true,
    schema: isJson && schema !== undefined ? objectOrEmpty(schema) : null,
    anyJson: isJson && schema === undefined,
    maxTokens: numberOrNull(config['maxOutputTokens']),
    promptTokens: countPromptTokens(body['contents'], body['systemInstruction'], body['tools']),
    thinkingTokens: 0,
  }
}

function lastUserText(contents: JsonObject[]): string {
  for (const { role, parts } of contents.toReversed()) {
    const text = objectsIn(parts)
      .map((part) => stringOrNull(part['text']) ?? '')
      .join('')
    if (role === 'user' && text !== '') return text
  }
  return ''
}

function resultText(part: JsonObject): string {
  const { response } = objectOrEmpty(part['functionResponse'])
  const { result } = objectOrEmpty(response)
  return typeof result === 'string' ? result : JSON.stringify(response)
}

function readToolChoice(body: JsonObject): ToolChoice {
  const { mode, allowedFunctionNames: names } = objectOrEmpty(
    objectOrEmpty(body['toolConfig'])['functionCallingConfig'],
  )
  const [name] = Array.isArray(names) ? names : []
  if (mode === 'ANY') return typeof name === 'string' ? { kind: 'tool', name } : { kind: 'any' }
  return { kind: mode === 'NONE' ? 'none' : 'auto' }
}

const FINISH: Record<PlannedReply['finish'], string> = {
  end: 'STOP',
  tools: 'STOP',
  length: 'MAX_TOKENS',
  refusal: 'SAFETY',
}

export function writeContent(reply: PlannedReply, body: JsonObject): JsonObject {
  const model = String(body['model'])
  const { candidateCount, responseModalities: kinds } = objectOrEmpty(body['generationConfig'])
  const isImage = Array.isArray(kinds) && kinds.includes('IMAGE') && reply.finish !== 'refusal'
  const finishReason = reply.finishOverride ?? FINISH[reply.finish]
  const candidates = Array.from({ length: numberOrNull(candidateCount) ?? 1 }, (_, index) => ({
    content: { role: 'model', parts: isImage ? IMAGE_PARTS : writeParts(reply, model) },
    finishReason: isImage ? 'STOP' : finishReason,
    index,
  }))
  return { candidates, usageMetadata: writeUsage(reply), modelVersion: model, responseId: newId('', 22) }
}

/** What it thought, and what it made. */
const IMAGE_PARTS = ['a draft', 'pixels'].map((pixels, at) => ({
  ...(at === 0 && { thought: true }),
  inlineData: { mimeType: 'image/png', data: Buffer.from(pixels).toString('base64') },
}))

/** A signature that names its model, so that the rules know it again. */
function signature(model: string): string {
  return Buffer.from(`signed by ${model} ${newId('', 8)}`).toString('base64')
}

/** Only the first of several calls is signed; a text has its signature in a part behind it. */
function writeParts(reply: PlannedReply, model: string): JsonObject[] {
  if (reply.finish === 'refusal') return []
  const parts: JsonObject[] = reply.text === '' ? [] : [{ text: reply.text }]
  for (const [index, { name, input }] of reply.toolCalls.entries()) {
    const signed = index === 0 && isSigning(model) ? { thoughtSignature: signature(model) } : {}
    parts.push({ functionCall: { name, args: input }, ...signed })
  }
  if (isSigning(model) && reply.toolCalls.length === 0) parts.push({ text: '', thoughtSignature: signature(model) })
  return parts
}

function writeUsage({ usage }: PlannedReply): JsonObject {
  const { freshTokens, cachedTokens, completionTokens, thinkingTokens, audioTokens, imageTokens } = usage
  const prompt = freshTokens + cachedTokens
  return {
    promptTokenCount: prompt,
    ...(cachedTokens > 0 ? { cachedContentTokenCount: cachedTokens } : {}),
    candidatesTokenCount: completionTokens - thinkingTokens,
    ...(thinkingTokens > 0 ? { thoughtsTokenCount: thinkingTokens } : {}),
    totalTokenCount: prompt + completionTokens,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: prompt }],
    ...(audioTokens + imageTokens > 0
      ? {
          candidatesTokensDetails: [
            { modality: 'TEXT', tokenCount: completionTokens - thinkingTokens - audioTokens - imageTokens },
            { modality: 'AUDIO', tokenCount: audioTokens },
            { modality: 'IMAGE', tokenCount: imageTokens },
          ],
        }
      : {}),
  }
}
