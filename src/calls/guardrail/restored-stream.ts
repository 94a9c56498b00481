import type { Placeholders } from '../../domain/content/placeholders.ts'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import type { Said, SaidFormat } from '../../endpoints/said.ts'

/** For texts, and for texts that are JSON. */
export interface BothPlaceholders {
  text: Placeholders
  json: Placeholders
}

/** The end of a text that waits for its next piece. */
interface Held {
  text: string
  /** Its last piece. */
  said: Said
  /** Around an event like that. */
  head: string
  tail: string
}

const FRAME = /.*?(?:\r?\n){2}|.+$/gs
const DATA = /^data: ?(\{.*\})\r?$/m

/** The frames of one stream with what was masked put back, across their borders. Only texts change, and grow. */
export class RestoredStream {
  readonly #placeholders: BothPlaceholders
  readonly #format: SaidFormat
  readonly #held = new Map<string, Held>()
  /** Of a format that numbers its events: frames that were added, and the last number. */
  #added = 0
  #number = -1

  constructor(placeholders: BothPlaceholders, format: SaidFormat) {
    this.#placeholders = placeholders
    this.#format = format
  }

  /** Whole frames. */
  write(frames: string): string {
    let written = ''
    for (const [frame] of frames.matchAll(FRAME)) written += this.#orAsItIs(frame)
    return written
  }

  /** The last ones. */
  end(frames: string): string {
    return this.write(frames) + this.#flushed([''])
  }

  /** An event that is nested too deeply says nothing that was masked. */
  #orAsItIs(frame: string): string {
    try {
      return this.#frame(frame)
    } catch (error) {
      if (error instanceof RangeError) return frame
      throw error
    }
  }

  #frame(frame: string): string {
    const found = DATA.exec(frame)
    const event = found === null ? null : parsed(found[1] ?? '')
    if (found === null || event === null) return frame.includes('data: [DONE]') ? this.#flushed(['']) + frame : frame
    const { said, ends } = this.#format.event(event)
    const around = { head: /^event: .*\r?\n/m.exec(frame)?.[0] ?? '', tail: frame.slice(found.index + found[0].length) }
    let isChanged = false
    for (const one of said) isChanged = this.#restore(one, around) || isChanged
    // What ends here and has a piece here needs no frame of its own.
    for (const [name, held] of this.#endedBy(ends)) {
      if (!said.includes(held.said)) continue
      held.said.in[held.said.field] += this.#complete(held)
      this.#held.delete(name)
      isChanged = true
    }
    const number = event['sequence_number']
    if (typeof number === 'number') this.#number = number - 1
    const before = this.#flushed(isError(event) ? [''] : ends)
    if (typeof number === 'number') {
      this.#number = number
      if (this.#added > 0) event['sequence_number'] = number + this.#added
      isChanged ||= this.#added > 0
    }
    if (!isChanged) return before + frame
    return `${before}${frame.slice(0, found.index)}data: ${JSON.stringify(event)}${around.tail}`
  }

  /** Whether it changed. */
  #restore(said: Said, around: Pick<Held, 'head' | 'tail'>): boolean {
    const { in: holder, field, of } = said
    const piece = holder[field] as string
    const waiting = of === undefined ? undefined : this.#held.get(of)
    const { text, held } = this.#for(said).restore((waiting?.text ?? '') + piece, of === undefined)
    holder[field] = text
    if (of !== undefined) {
      if (held === '') this.#held.delete(of)
      else this.#held.set(of, { text: held, said, ...around })
    }
    return text !== piece
  }

  #for({ isJson }: Said): Placeholders {
    return isJson === true ? this.#placeholders.json : this.#placeholders.text
  }

  #endedBy(ends: readonly string[]): [string, Held][] {
    return [...this.#held].filter(([name]) => ends.some((end) => name.startsWith(end)))
  }

  #complete({ said, text }: Held): string {
    return this.#for(said).restore(text).text
  }

  /** Frames with the held ends of what ends here. */
  #flushed(ends: readonly string[]): string {
    let frames = ''
    for (const [name, held] of this.#endedBy(ends)) {
      this.#held.delete(name)
      const event = held.said.alone?.(this.#complete(held)) ?? {}
      if ('sequence_number' in event) {
        this.#added += 1
        event['sequence_number'] = this.#number + this.#added
      }
      frames += `${held.head}data: ${JSON.stringify(event)}${held.tail}`
    }
    return frames
  }
}

/** It ends the stream, without the ends of its texts. */
function isError({ type, error }: JsonObject): boolean {
  return type === 'error' || (error !== undefined && error !== null)
}

function parsed(json: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(json)
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}
