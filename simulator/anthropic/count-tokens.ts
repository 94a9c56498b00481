import type { Operation } from '../family.ts'
import type { JsonObject } from '../json.ts'
import { errorAnswer } from './errors.ts'
import { readMessageAsk } from './message.ts'
import { problemWithRequest } from './request-rules.ts'

/** The same rules as for a message, but no limit is needed and nothing is generated. */
export const countTokens: Operation = {
  path: '/v1/messages/count_tokens',
  validate(body, headers) {
    if (body['max_tokens'] !== undefined) return errorAnswer({ message: 'max_tokens: Extra inputs are not permitted' })
    const message = problemWithRequest({ ...body, max_tokens: 1 }, String(headers['anthropic-version']))
    return message === null ? null : errorAnswer({ message })
  },
  lastUserText: (body) => readMessageAsk(body).lastUserText,
  answer: (body: JsonObject) => ({ input_tokens: readMessageAsk(body).promptTokens }),
}
