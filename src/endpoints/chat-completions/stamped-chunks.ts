import type { Stamp } from '../../domain/request/answer.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import type { Chunk } from '../../domain/request/stream.ts'
import { placeOf } from '../replace-value.ts'

const NULL_USAGE = ',"usage":null'

/**
 * A provider's chunks with our id and model, and `usage` as the caller asked for it. Chunks of a stream begin alike:
 * that beginning is worked out once, and the other bytes pass.
 */
export class StampedChunks {
  readonly #stamp: Stamp
  readonly #isUsageWanted: boolean
  readonly #object: string
  /** How the chunks begin, up to the later one of id and model. */
  #from = ''
  #to = ''

  constructor(stamp: Stamp, isUsageWanted: boolean, object = 'chat.completion.chunk') {
    this.#stamp = stamp
    this.#object = object
    this.#isUsageWanted = isUsageWanted
  }

  write(chunk: Pick<Chunk, 'json' | 'value' | 'like'>): string {
    const { json } = chunk
    // From several lines of data: a line break between two tokens would end the line of our frame.
    if (json.includes('\n')) return this.#anew(chunk.value)
    // Ten times as fast as `startsWith`, which compares letter by letter.
    if (this.#from === '' || json.slice(0, this.#from.length) !== this.#from) this.#learn(json)
    const common = (chunk.like ?? chunk).value
    const rest = this.#from === '' || !isDated(common) ? null : this.#rest(json, common['usage'])
    return rest === null ? this.#anew(chunk.value) : this.#to + rest
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
    const [id, model] = [placeOf(json, ['id']), placeOf(json, ['model'])]
    this.#from = ''
    if (id === null || model === null) return
    const [ourId, ourModel] = [JSON.stringify(this.#stamp.id), JSON.stringify(this.#stamp.model)]
    const isIdFirst = id.from < model.from
    const [first, second] = isIdFirst ? [id, model] : [model, id]
    const between = json.slice(first.to, second.from)
    this.#from = json.slice(0, second.to)
    this.#to = json.slice(0, first.from) + (isIdFirst ? ourId + between + ourModel : ourModel + between + ourId)
  }

  #anew(value: JsonObject): string {
    const { id, created, model } = this.#stamp
    const whole: JsonObject = { id, object: this.#object, created, model, ...value, usage: null }
    whole['id'] = id
    whole['model'] = model
    if (!isDated(whole)) Object.assign(whole, { object: this.#object, created })
    if (!this.#isUsageWanted) delete whole['usage']
    return JSON.stringify(whole)
  }
}

/** Some servers leave both empty in their own chunks, which clients refuse. */
function isDated({ object, created }: JsonObject): boolean {
  return Number.isInteger(created) && created !== 0 && object !== ''
}
