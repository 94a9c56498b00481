import type { Stamp } from '../../domain/request/answer.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import type { Chunk } from '../../domain/request/stream.ts'

const NULL_USAGE = ',"usage":null'

/**
 * A provider's chunks with our id and model, and `usage` as the caller asked for it. Chunks of a stream begin alike:
 * that beginning is worked out once, and the other bytes pass.
 */
export class StampedChunks {
  readonly #stamp: Stamp
  readonly #isUsageWanted: boolean
  /** How the chunks begin, up to the later one of id and model. */
  #from = ''
  #to = ''

  constructor(stamp: Stamp, isUsageWanted: boolean) {
    this.#stamp = stamp
    this.#isUsageWanted = isUsageWanted
  }

  write({ json, value }: Pick<Chunk, 'json' | 'value'>): string {
    if (this.#from === '' || !json.startsWith(this.#from)) this.#learn(json)
    const rest = this.#from === '' || !Number.isInteger(value['created']) ? null : this.#rest(json, value['usage'])
    return rest === null ? this.#anew(value) : this.#to + rest
  }

  /** Null: what must change lies too deep to be certain of its place. */
  #rest(json: string, usage: unknown): string | null {
    const start = this.#from.length
    if (!json.endsWith('}')) return null
    if (this.#isUsageWanted) {
      if (usage === null) return json.slice(start)
      return usage === undefined ? `${json.slice(start, -1)}${NULL_USAGE}}` : null
    }
    if (usage === undefined) return json.slice(start)
    const at = json.lastIndexOf(NULL_USAGE)
    if (usage !== null || at < start) return null
    const after = json.slice(at + NULL_USAGE.length)
    // With one closing bracket behind it, it is a field of the chunk itself. Inside of a text its quotes are escaped.
    if (after.indexOf('}') < after.length - 1 || after.includes(']')) return null
    return json.slice(start, at) + after
  }

  #learn(json: string): void {
    const found = beginningOf(json)
    this.#from = ''
    if (found === null) return
    const { id, model } = found
    const [first, second] = id.from < model.from ? [id, model] : [model, id]
    const written = { id: JSON.stringify(this.#stamp.id), model: JSON.stringify(this.#stamp.model) }
    this.#from = json.slice(0, second.to)
    this.#to =
      json.slice(0, first.from) + written[first.name] + json.slice(first.to, second.from) + written[second.name]
  }

  #anew(value: JsonObject): string {
    const { id, created, model } = this.#stamp
    const whole: JsonObject = { id, object: 'chat.completion.chunk', created, model, ...value, usage: null }
    whole['id'] = id
    whole['model'] = model
    if (!Number.isInteger(whole['created'])) whole['created'] = created
    if (!this.#isUsageWanted) delete whole['usage']
    return JSON.stringify(whole)
  }
}

interface Span<Name extends string> {
  name: Name
  from: number
  to: number
}

/** A field whose value is neither an object nor a list, and what separates it from the next. */
const FIELD = /"([^"\\]*(?:\\.[^"\\]*)*)"\s*:\s*("[^"\\]*(?:\\.[^"\\]*)*"|[-+.\w]+)\s*,\s*/dy

/** Where the values of `id` and `model` are, if both come before the first object or list; else null. */
function beginningOf(json: string): { id: Span<'id'>; model: Span<'model'> } | null {
  const places = new Map<string | undefined, [number, number] | undefined>()
  FIELD.lastIndex = /^\s*\{\s*/.exec(json)?.[0].length ?? 0
  for (let field = FIELD.exec(json); field !== null; field = FIELD.exec(json)) places.set(field[1], field.indices?.[2])
  const [id, model] = [places.get('id'), places.get('model')]
  if (id === undefined || model === undefined) return null
  return { id: { name: 'id', from: id[0], to: id[1] }, model: { name: 'model', from: model[0], to: model[1] } }
}
