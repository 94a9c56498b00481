import assert from 'node:assert/strict'
import { type Destination, familyNamed, translatorOf } from '../../src/bodies/destination.ts'
import { outlineFor } from '../../src/bodies/outline.ts'
import { SmallBody } from '../../src/bodies/small-body.ts'
import { GatewayError } from '../../src/domain/errors.ts'
import { NO_USAGE } from '../../src/domain/pricing/usage.ts'
import { UNKNOWN_TRAITS } from '../../src/domain/provider.ts'
import { type CallRequest, isJsonObject, type JsonObject } from '../../src/domain/request/call-request.ts'
import { NO_BOUNDS } from '../../src/domain/request/output-limit.ts'
import type { Endpoint } from '../../src/endpoints/endpoint.ts'
import { translatorFor } from '../../src/providers/translator-for.ts'

const sealing = { keys: [new Uint8Array(32)], binding: 'x', workspace: 'w' }
const to = (position: number, family: string, more: Partial<Destination> = {}): Destination => ({
  ...{ position, family, model: 'up', traits: UNKNOWN_TRAITS, baseUrl: 'http://127.0.0.1:1/v1', bounds: NO_BOUNDS },
  ...{ speaks: [], sealing, ...more },
})
const strict = { isStrict: true, isOnly: true }
/** Enough to choose each entry with the whole request and with an outline. */
export const DRAWS = 16
/** Three families, in their own words and in others', without and with a hard budget. */
const DESTINATIONS = [
  to(0, 'openai', { speaks: ['responses'] }),
  to(1, 'openai', { ...strict, speaks: ['responses'], bounds: { default: 9, most: 5 } }),
  to(2, 'openai'),
  to(3, 'openai', { ...strict, bounds: { default: null, most: 1500 } }),
  to(4, 'anthropic'),
  to(5, 'anthropic', { ...strict, bounds: { default: null, most: 1500 } }),
  to(6, 'gemini'),
  to(7, 'gemini', { ...strict, bounds: { default: null, most: 1500 } }),
]

/**
 * Everything that a body meets between its arrival and the provider, and everything between the provider's answer and
 * the caller. What is thrown here is a 500 there. `draw` chooses the entry; `arrive`: what is done to the bytes before
 * they are read. Says whether the body was accepted.
 */
export function goThrough(
  value: unknown,
  endpoint: Endpoint,
  draw: number,
  arrive = (bytes: Buffer) => bytes,
): boolean {
  const body = readOrNull(arrive(Buffer.from(JSON.stringify(value))), endpoint)
  if (body === null) return false
  const before = JSON.stringify(body.request)
  const served = DESTINATIONS.filter(
    (each) => translatorFor(familyNamed(each.family), endpoint, each, each.model) !== undefined,
  )
  const destination = served[draw % served.length]
  assert.ok(destination !== undefined)
  const [translation] = body.translate([destination])
  if (translation?.kind !== 'wire') assert.match(translation?.message.text ?? '', /\S/)
  else {
    const wire: unknown = JSON.parse(body.write(destination.position).toString())
    // One family has the model in the path.
    assert.ok(isJsonObject(wire) && (destination.family === 'gemini' || wire['model'] === 'up'))
    assert.ok(Number.isSafeInteger(translation.bounds.answers) && translation.bounds.answers > 0)
    // A large body is known here by its outline only.
    const request = draw < DRAWS / 2 ? body.request : outlineFor(endpoint, body.request)
    answerFrom(destination, wire, request, endpoint)
  }
  assert.equal(JSON.stringify(body.request), before, 'the request was changed')
  return true
}

function readOrNull(bytes: Buffer, endpoint: Endpoint): SmallBody | null {
  try {
    return SmallBody.read(bytes, endpoint, { withHash: false, allowsStream: true })
  } catch (error) {
    assert.ok(error instanceof GatewayError, String(error))
    const { status } = endpoint.error(error, 'id')
    assert.ok(status >= 400 && status < 500, `${status}: ${error.message}`)
    return null
  }
}

function answerFrom(destination: Destination, wire: JsonObject, request: CallRequest, endpoint: Endpoint): void {
  const translator = translatorOf(destination, endpoint)
  const stamp = { id: 'id', model: request.model, created: 1, sealing }
  const reading = translator.fromWire(replyTo(wire, endpoint, destination), request)
  assert.ok(reading.kind === 'answer')
  JSON.parse(endpoint.write(reading.answer, stamp, request))
  const writer = endpoint.stream?.open(request, stamp)
  for (const part of translator.stream?.partsOf(reading.answer, request) ?? []) writer?.write(part)
  writer?.end({ usage: null, tokens: NO_USAGE, gateway: {} })
}

/** An answer that calls the first tool offered, if that has a name. */
function replyTo(wire: JsonObject, endpoint: Endpoint, { family, speaks }: Destination): JsonObject {
  const name = firstName(wire['tools'])
  if (endpoint.name === 'count_tokens') return { input_tokens: 3 }
  if (endpoint.name === 'count_content_tokens') return { totalTokens: 3 }
  if (endpoint.operation === 'embeddings') return vectorsFor(wire)
  if (family === 'gemini') return contentsReply(name)
  if (family === 'anthropic') {
    const content = [
      { type: 'thinking', thinking: 'so', signature: 'c2ln' },
      { type: 'text', text: 'a' },
      { type: 'tool_use', id: 'c', name, input: { input: 'x' } },
    ]
    const usage = { input_tokens: 1, output_tokens: 1 }
    return { id: 'm', type: 'message', role: 'assistant', model: 'up', content, stop_reason: 'tool_use', usage }
  }
  if (endpoint.name === 'responses' && speaks?.includes('responses') === true) {
    const output = [{ type: 'function_call', id: 'f', call_id: 'c', name, arguments: '{}', status: 'completed' }]
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
    return { id: 'r', object: 'response', created_at: 1, status: 'completed', model: 'up', output, usage }
  }
  const calls = [{ id: 'c', type: 'function', function: { name, arguments: '{"input":"x"}' } }]
  const message = { role: 'assistant', content: 'a', tool_calls: calls }
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  return { id: 'k', object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'tool_calls' }], usage }
}

function contentsReply(name: string): JsonObject {
  const call = { functionCall: { name, args: { input: 'x' } }, thoughtSignature: 'c2ln' }
  const content = { role: 'model', parts: [{ text: 'so', thought: true }, { text: 'a' }, call] }
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }
  return { candidates: [{ content, finishReason: 'STOP', index: 0 }], usageMetadata, modelVersion: 'up' }
}

/** A vector for each input, in the format of the request. */
function vectorsFor({ content, requests, input }: JsonObject): JsonObject {
  if (content !== undefined) return { embedding: { values: [1] } }
  if (Array.isArray(requests)) return { embeddings: requests.map(() => ({ values: [1] })) }
  const data = (input as unknown[]).map((_, index) => ({ object: 'embedding', index, embedding: [1] }))
  return { object: 'list', data, usage: { prompt_tokens: 1, total_tokens: 1 } }
}

function firstName(tools: unknown): string {
  const first: unknown = Array.isArray(tools) ? tools[0] : null
  const named = isJsonObject(first) && isJsonObject(first['function']) ? first['function'] : first
  const name = isJsonObject(named) ? named['name'] : null
  return typeof name === 'string' && name !== '' ? name : 'f'
}
