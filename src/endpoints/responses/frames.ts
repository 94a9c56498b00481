import type { JsonObject } from '../../domain/request/call-request.ts'

/** One event. JSON has no line breaks inside of a text, so those between its parts may become blanks. */
export function eventFrame(type: string, json: string): string {
  const line = json.includes('\n') || json.includes('\r') ? json.replace(/[\r\n]+/g, ' ') : json
  return `event: ${type}\ndata: ${line}\n\n`
}

/** The events of one translated answer, numbered. */
export class Frames {
  #next = 0

  write(type: string, fields: JsonObject): string {
    return eventFrame(type, JSON.stringify({ type, sequence_number: this.#next++, ...fields }))
  }
}
