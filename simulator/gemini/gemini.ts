import type { Answer } from '../answer.ts'
import { chatOperation } from '../chat-operation.ts'
import type { Family } from '../family.ts'
import { newId } from '../random.ts'
import { readContentAsk, writeContent } from './content.ts'
import { countTokensOperation } from './count-tokens.ts'
import { embeddingOperation, embeddingsOperation } from './embeddings.ts'
import { errorAnswer, failureAnswer } from './errors.ts'
import { GEMINI_ODDITIES, streamContent } from './events.ts'
import { getModel, listModels } from './models.ts'
import { problemWithRequest } from './request-rules.ts'

const MEBIBYTE = 1024 * 1024
const BASE = '/v1beta'
const ASKED =
  /^\/v1beta\/models\/([^/:]+):(generateContent|streamGenerateContent|countTokens|batchEmbedContents|embedContent)$/

export const geminiFamily: Family = {
  name: 'gemini',
  operations: [
    chatOperation({
      path: 'generateContent',
      validate(body) {
        const message = problemWithRequest(body)
        return message === null ? null : errorAnswer({ message })
      },
      readAsk: readContentAsk,
      writeReply: writeContent,
      streaming: {
        eventsOf: streamContent,
        oddities: GEMINI_ODDITIES,
        newline: '\r\n',
        ping: null,
        errorEvent: (data) => ({ data }),
      },
    }),
    embeddingsOperation,
    embeddingOperation,
    countTokensOperation,
  ],
  /** Model and method are in the path. Without `alt=sse` a stream is one array, which is not simulated. */
  route(url) {
    const [, model, method] = ASKED.exec(url.pathname) ?? []
    if (model === undefined || method === undefined) return null
    const fields = { model: decodeURIComponent(model) }
    if (!method.endsWith('GenerateContent') && method !== 'generateContent') return { path: method, fields }
    const isStream = method === 'streamGenerateContent'
    if (isStream && url.searchParams.get('alt') !== 'sse') return null
    return { path: 'generateContent', fields: { ...fields, stream: isStream } }
  },
  bodyLimitBytes: 20 * MEBIBYTE,
  newRequestId: () => newId('', 22),
  /** The vendor takes a key in the query too; here that is a mistake. */
  keyOf: (headers) => {
    const key = headers['x-goog-api-key']
    return typeof key === 'string' ? key : null
  },
  failure: failureAnswer,
  checkHeaders: () => null,
  control(url) {
    if (url.pathname === `${BASE}/models`) return listModels(url.searchParams)
    if (!url.pathname.startsWith(`${BASE}/models/`)) return null
    return getModel(url.pathname.slice(`${BASE}/models/`.length))
  },
  listModels,
  getModel,
  complete: (answer: Answer, _requestId, elapsedMs) => ({
    ...answer,
    headers: { 'server-timing': `gfet4t7; dur=${elapsedMs}`, ...answer.headers },
  }),
}
