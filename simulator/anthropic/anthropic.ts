import type { IncomingHttpHeaders } from 'node:http'
import type { Answer } from '../answer.ts'
import { chatOperation } from '../chat-operation.ts'
import type { Family } from '../family.ts'
import { isObject, type JsonObject } from '../json.ts'
import { newId } from '../random.ts'
import type { Account } from '../stage.ts'
import { countTokensOperation } from './count-tokens.ts'
import { errorAnswer, failureAnswer } from './errors.ts'
import { PING, streamMessage } from './events.ts'
import { readMessageAsk, writeMessage } from './message.ts'
import { getModel, listModels } from './model-list.ts'
import { anthropicModel } from './models.ts'
import { ANTHROPIC_ODDITIES } from './oddities.ts'
import { problemWithRequest } from './request-rules.ts'

const MEBIBYTE = 1024 * 1024
const VERSIONS = ['2023-01-01', '2023-06-01', '2026-10-21']

export const anthropicFamily: Family = {
  name: 'anthropic',
  operations: [
    chatOperation({
      path: '/v1/messages',
      validate,
      readAsk: readMessageAsk,
      writeReply: writeMessage,
      streaming: {
        eventsOf: streamMessage,
        oddities: ANTHROPIC_ODDITIES,
        ping: PING,
        errorEvent: (data) => ({ event: 'error', data }),
      },
    }),
    countTokensOperation,
  ],
  caches: 'marked',
  bodyLimitBytes: 32 * MEBIBYTE,
  newRequestId: () => newId('req_01', 22),
  keyOf(headers) {
    const key = headers['x-api-key'] || /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1]
    return typeof key === 'string' ? key : null
  },
  failure: failureAnswer,
  checkHeaders(headers) {
    const version = headers['anthropic-version']
    if (version === undefined) return errorAnswer({ message: 'anthropic-version: header is required' })
    if (VERSIONS.includes(String(version))) return null
    return errorAnswer({ message: `anthropic-version: "${version}" is not a valid version` })
  },
  listModels,
  getModel,
  complete: addHeaders,
}

function validate(body: JsonObject, headers: IncomingHttpHeaders, account: Account): Answer | null {
  const version = String(headers['anthropic-version'])
  const hasBetas = headers['anthropic-beta'] !== undefined
  const message = problemWithRequest(body, version, hasBetas) ?? problemWithGeo(body, account)
  return message === null ? null : errorAnswer({ message })
}

/** Older models run where they run; a workspace may be bound to one place. */
function problemWithGeo({ inference_geo: geo, model }: JsonObject, account: Account): string | null {
  if (geo === undefined) return null
  if (anthropicModel(String(model))?.hasGeo === false) return 'inference_geo: not supported for this model.'
  if (!account.isGeoFixed || geo === account.inferenceGeo) return null
  return `inference_geo: "${geo}" is not allowed in this workspace.`
}

function addHeaders(answer: Answer, requestId: string): Answer {
  const reset = new Date(Date.now() + 1000).toISOString().replace(/\.\d+Z/, 'Z')
  const limits = [
    ['requests', 4000],
    ['tokens', 5_000_000],
    ['input-tokens', 4_000_000],
    ['output-tokens', 1_000_000],
  ] as const
  const headers: Record<string, string> = {
    'request-id': requestId,
    'anthropic-organization-id': '00000000-0000-4000-8000-000000000001',
  }
  for (const [name, limit] of limits) {
    headers[`anthropic-ratelimit-${name}-limit`] = String(limit)
    headers[`anthropic-ratelimit-${name}-remaining`] = String(answer.status === 429 ? 0 : limit - 1000)
    headers[`anthropic-ratelimit-${name}-reset`] = reset
  }
  const isError = isObject(answer.body) && answer.body['type'] === 'error'
  const body = isError ? { ...(answer.body as object), request_id: requestId } : answer.body
  return { ...answer, headers: { ...headers, ...answer.headers }, body }
}
