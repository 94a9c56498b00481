import type { Answer } from '../answer.ts'
import { chatOperation } from '../chat-operation.ts'
import type { Family } from '../family.ts'
import { isObject, type JsonObject, objectsIn } from '../json.ts'
import { streamCompletion } from '../openai/chunks.ts'
import { readCompletionAsk, writeCompletion } from '../openai/completion.ts'
import { errorAnswer, failureAnswer, type OpenaiError } from '../openai/errors.ts'
import { openaiFamily } from '../openai/openai.ts'
import type { StreamEvent } from '../stream/script.ts'
import type { Personality } from './personality.ts'

/** A server that speaks the chat format as this vendor does. */
export function vendorFamily(personality: Personality): Family {
  const worded = (error: OpenaiError): Answer => personality.error?.(error) ?? errorAnswer(error)
  const chat = chatOperation({
    path: '/v1/chat/completions',
    validate(body) {
      const problem = problemWith(body, personality)
      return problem === null ? null : worded(problem)
    },
    readAsk: readCompletionAsk,
    writeReply(reply, body, account) {
      const completion = writeCompletion(reply, { ...body, logprobs: undefined }, account)
      personality.completion?.(completion)
      return completion
    },
    streaming: {
      eventsOf: (completion, body) => eventsOf(completion, body, personality),
      oddities: {},
      ping: null,
      errorEvent: (data) => ({ data }),
    },
  })
  return {
    ...openaiFamily,
    operations: [chat, ...openaiFamily.operations.filter(({ path }) => path !== chat.path)],
    keyOf: (headers) => headers['api-key']?.toString() ?? openaiFamily.keyOf(headers),
    failure(cause, context) {
      const { status, body, headers } = failureAnswer(cause, context)
      const { error } = isObject(body) ? body : {}
      if (!isObject(error)) return { status, body, ...(headers === undefined ? {} : { headers }) }
      return worded({ status, ...(error as unknown as OpenaiError) })
    },
    complete: (answer, id, elapsedMs) => signsOfLife(openaiFamily.complete(answer, id, elapsedMs), personality),
  }
}

function problemWith(body: JsonObject, { fields, messageFields, problem }: Personality): OpenaiError | null {
  const unknown = fields && Object.keys(body).find((name) => !fields.has(name))
  if (unknown) return { message: `Unknown parameter: '${unknown}'.`, param: unknown, code: 'unknown_parameter' }
  for (const [at, message] of objectsIn(body['messages']).entries()) {
    const odd = messageFields && Object.keys(message).find((name) => !messageFields.has(name))
    if (odd)
      return {
        message: `'messages.${at}' : property '${odd}' is unsupported`,
        param: `messages.${at}.${odd}`,
        code: 'unknown_parameter',
      }
  }
  return problem?.(body) ?? null
}

function* eventsOf(completion: JsonObject, body: JsonObject, personality: Personality): Iterable<StreamEvent> {
  const { counts } = personality
  const options = {
    include_obfuscation: false,
    ...(counts === 'asked' && isObject(body['stream_options']) ? body['stream_options'] : {}),
  }
  // Chunks are written from plain texts; what a vendor does to them is done to each.
  const plain = { ...completion, choices: objectsIn(completion['choices']).map(withPlainText) }
  for (const event of streamCompletion(plain, { ...body, stream_options: options })) {
    const chunk = event.data
    if (isObject(chunk)) {
      personality.chunk?.(chunk)
      const isLast = objectsIn(chunk['choices']).some(({ finish_reason: reason }) => reason !== null)
      if (isLast && counts === 'at-the-end') chunk['usage'] = completion['usage']
      if (isLast && counts === 'x_groq') chunk['x_groq'] = { id: 'req_simulated', usage: completion['usage'] }
    }
    yield event
  }
}

function withPlainText(choice: JsonObject): JsonObject {
  const { message } = choice
  if (!isObject(message) || !Array.isArray(message['content'])) return choice
  const text = objectsIn(message['content']).map((part) => (typeof part['text'] === 'string' ? part['text'] : ''))
  return { ...choice, message: { ...message, content: text.join('') } }
}

function signsOfLife(answer: Answer, { comment, preamble }: Personality): Answer {
  const { stream, body, status } = answer
  if (stream && comment) {
    const steps = [{ comment, times: 3 }, ...(stream.script.steps ?? [{ play: 'done' } as const])]
    return { ...answer, stream: { ...stream, script: { ...stream.script, steps } } }
  }
  return preamble && status === 200 && isObject(body) ? { ...answer, body: preamble + JSON.stringify(body) } : answer
}
