import type { Bridge } from '../../domain/request/bridge.ts'
import type { CallRequest, JsonObject } from '../../domain/request/call-request.ts'
import { type Embedded, fieldOf } from '../../domain/request/contents.ts'
import type { EmbeddingsRequest } from '../../domain/request/embeddings.ts'
import { Rejection, refuse } from '../../domain/request/rejection.ts'
import { worded } from '../../domain/wording/worded.ts'
import { textOf } from './prompt-bound.ts'

/** This format as a request for embeddings, for families that do not speak it. */
export function bridgeTo<Request extends CallRequest>(
  listed: (request: Request) => readonly Embedded[],
): Bridge<Request, EmbeddingsRequest> {
  return {
    hub: 'embeddings',
    toHub(request) {
      const ignored = new Set<string>()
      try {
        const { model } = request
        return { kind: 'bridged', request: { model, ...fieldsOf(listed(request), ignored) }, ignored: [...ignored] }
      } catch (error) {
        if (error instanceof Rejection) return error.rejected
        throw error
      }
    },
    answerShape: (request) => ({ model: request.model, input: listed(request).map(() => '') }),
  }
}

const READ: ReadonlySet<string> = new Set([
  ...['model', 'stream', 'content', 'outputDimensionality', 'output_dimensionality'],
])

/** Of a field that is reported. */
const LONGEST_NAME = 64

function fieldsOf(listed: readonly Embedded[], ignored: Set<string>): Pick<EmbeddingsRequest, 'input' | 'dimensions'> {
  const input = listed.map((each, at) => {
    noteOthers(each, ignored)
    const text = textOf(each)
    return text ?? refuse(worded`${listed.length === 1 ? '' : `requests[${at}].`}content: expected texts only`)
  })
  const sizes = new Set(listed.map((each) => fieldOf(each, 'outputDimensionality') ?? null))
  const [size] = sizes
  if (sizes.size > 1) refuse(worded`outputDimensionality: this provider gives all embeddings of a call the same length`)
  return typeof size === 'number' ? { input, dimensions: size } : { input }
}

/** Task types and titles are hints. */
function noteOthers(each: JsonObject, ignored: Set<string>): void {
  for (const name in each) {
    if (!READ.has(name) && (each[name] ?? null) !== null) ignored.add(name.slice(0, LONGEST_NAME))
  }
}
