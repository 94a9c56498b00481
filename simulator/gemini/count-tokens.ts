import type { Operation } from '../family.ts'
import { isObject, type JsonObject, objectOrEmpty } from '../json.ts'
import { readContentAsk } from './content.ts'
import { errorAnswer } from './errors.ts'
import { problemWithRequest } from './request-rules.ts'

/** What the prompt of a request would count, free of charge: contents, or a whole request that names its model again. */
export const countTokensOperation: Operation = {
  path: 'countTokens',
  validate(body) {
    const { generateContentRequest: whole, ...bare } = body
    if (isObject(whole) && whole['model'] !== `models/${body['model']}`) {
      return errorAnswer({ message: 'model in the request must match the model in the URL' })
    }
    if (!isObject(whole) && Object.keys(bare).some((name) => !['model', 'contents'].includes(name))) {
      return errorAnswer({ message: 'Invalid JSON payload received. Unknown name: Cannot find field.' })
    }
    const message = problemWithRequest(counted(body))
    return message === null ? null : errorAnswer({ message })
  },
  lastUserText: (body) => readContentAsk(counted(body)).lastUserText,
  answer: (body, tweak) => ({ totalTokens: tweak.exactUsage?.prompt ?? readContentAsk(counted(body)).promptTokens }),
}

function counted(body: JsonObject): JsonObject {
  const { generateContentRequest: whole, ...bare } = body
  return isObject(whole) ? { ...objectOrEmpty(whole), model: body['model'] } : bare
}
