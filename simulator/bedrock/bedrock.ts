import { chatOperation } from '../chat-operation.ts'
import type { Family, Operation } from '../family.ts'
import { type JsonObject, objectOrEmpty } from '../json.ts'
import { newId } from '../random.ts'
import type { Oddity, StreamFormat } from '../stream/script.ts'
import { readConverseAsk, writeConverse } from './converse.ts'
import { errorAnswer, exceptionEvent, failureAnswer } from './errors.ts'
import { streamConverse, streamInvoke } from './events.ts'
import { damagedFrame, EVENT_STREAM, frameOf } from './frames.ts'
import { problemWithInvoke, readInvokeAsk, writeInvoke } from './invoke.ts'
import { listAnswer } from './model-list.ts'
import { problemWithConverse } from './request-rules.ts'
import { rerank } from './rerank.ts'
import { keyOf, problemWithSignature } from './signature.ts'

const MEBIBYTE = 1024 * 1024

/** The middle event has a wrong checksum. */
const damaged: Oddity = (events) => {
  const middle = Math.floor(events.length / 2)
  return events.map((event, at) => (at === middle ? { ...event, data: damagedFrame(event) } : event))
}
/** The last event, with the usage, does not come. */
const uncounted: Oddity = (events) => events.slice(0, -1)

const STREAMING: Pick<StreamFormat, 'oddities' | 'ping' | 'errorEvent' | 'contentType' | 'frame'> = {
  oddities: { damaged, uncounted },
  ping: null,
  errorEvent: (failure, _answer, _next, status) => exceptionEvent(status, failure),
  contentType: EVENT_STREAM,
  frame: frameOf,
}

const converse = chatOperation({
  path: 'converse',
  validate: ({ model: _model, stream: _stream, ...body }) => refused(problemWithConverse(body)),
  readAsk: readConverseAsk,
  writeReply: writeConverse,
  streaming: { ...STREAMING, eventsOf: streamConverse },
})

const invoke = chatOperation({
  path: 'invoke',
  validate: (body) => refused(problemWithInvoke(body)),
  readAsk: readInvokeAsk,
  writeReply: writeInvoke,
  streaming: { ...STREAMING, eventsOf: streamInvoke },
})

const countTokens: Operation = {
  path: 'count-tokens',
  validate: (body) => refused(problemWithInvoke(countedBody(body))),
  lastUserText: () => '',
  answer: (body, tweak) => ({ inputTokens: tweak.exactUsage?.prompt ?? readInvokeAsk(countedBody(body)).promptTokens }),
}

function countedBody({ input, model }: JsonObject): JsonObject {
  const { body } = objectOrEmpty(objectOrEmpty(input)['invokeModel'])
  return { ...objectOrEmpty(JSON.parse(Buffer.from(String(body), 'base64').toString() || '{}')), model }
}

function refused(message: string | null) {
  return message === null ? null : errorAnswer({ message })
}

/** Which operation a path asks for, and whether it streams. */
const ACTIONS: Readonly<Record<string, readonly [path: string, isStream: boolean]>> = {
  converse: ['converse', false],
  'converse-stream': ['converse', true],
  invoke: ['invoke', false],
  'invoke-with-response-stream': ['invoke', true],
  'count-tokens': ['count-tokens', false],
}

export const bedrockFamily: Family = {
  name: 'bedrock',
  operations: [converse, invoke, countTokens, rerank],
  /** The model's id is one segment: colons and slashes in it are encoded. */
  route({ pathname }) {
    if (pathname === '/rerank') return { path: 'rerank', fields: {} }
    const [, model, action = ''] = /^\/model\/([^/:]+)\/([a-z-]+)$/.exec(pathname) ?? []
    const [path, stream] = ACTIONS[action] ?? []
    return model === undefined || path === undefined
      ? null
      : { path, fields: { model: decodeURIComponent(model), stream } }
  },
  caches: 'marked',
  bodyLimitBytes: 25 * MEBIBYTE,
  newRequestId: () => newId('', 36),
  keyOf,
  failure: failureAnswer,
  checkHeaders: problemWithSignature,
  control: listAnswer,
  listModels: () => errorAnswer({ status: 404, type: 'UnknownOperationException', message: 'no such path' }),
  getModel: () => errorAnswer({ status: 404, type: 'UnknownOperationException', message: 'no such path' }),
  complete: (answer, requestId) => ({ ...answer, headers: { 'x-amzn-requestid': requestId, ...answer.headers } }),
}
