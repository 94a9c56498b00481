import { lastUserText } from '../call-log.ts'
import type { Operation } from '../family.ts'
import { objectsIn } from '../json.ts'
import { errorAnswer } from './errors.ts'
import { readMessageAsk } from './message.ts'
import { betaCountShape, countShape } from './request-shape.ts'
import { problemWithTools } from './tool-rules.ts'
import { problemWithTurns } from './turn-rules.ts'

/** What the prompt of a message would count, free of charge. */
export const countTokensOperation: Operation = {
  path: '/v1/messages/count_tokens',
  validate(body, headers) {
    const hasBetas = headers['anthropic-beta'] !== undefined
    const shape = hasBetas ? betaCountShape : countShape
    const turns = objectsIn(body['messages']).filter(({ role }) => role !== 'system')
    const message =
      shape(body, '') ??
      problemWithTurns(turns, String(headers['anthropic-version'])) ??
      (hasBetas ? null : problemWithTools(body))
    return message === null ? null : errorAnswer({ message })
  },
  lastUserText: (body) => lastUserText(body['messages']),
  answer: (body, tweak) => ({ input_tokens: tweak.exactUsage?.prompt ?? readMessageAsk(body).promptTokens }),
}
