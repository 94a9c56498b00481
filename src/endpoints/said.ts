import { isJsonObject, type JsonObject } from '../domain/request/call-request.ts'

/** A text of the model, in an answer or in an event of a stream. */
export interface Said {
  in: JsonObject
  field: string
  /** The text is JSON. */
  isJson?: true
  /** The text that this is a piece of, by a name; missing: this is all of it. */
  of?: string
  /** Of a piece: an event that says only `text`, at the same place. */
  alone?(text: string): JsonObject
}

/** Where a format has what the model says to the caller. Reasoning is left out: providers sign it. */
export interface SaidFormat {
  whole(answer: JsonObject): Said[]
  event(event: JsonObject): SaidInEvent
}

export interface SaidInEvent {
  said: Said[]
  /** Texts whose name begins so are complete, with this event. */
  ends: string[]
}

/** What makes a text a piece of a longer one. */
export type PieceOf = (name: string, alone: (text: string) => JsonObject) => Pick<Said, 'of' | 'alone'>

export const WHOLE: PieceOf = () => ({})

/** A field, if it is a text. */
export function saidAt(holder: unknown, field: string, more: Omit<Said, 'in' | 'field'> = {}): Said[] {
  return isJsonObject(holder) && typeof holder[field] === 'string' ? [{ in: holder, field, ...more }] : []
}

/** Every text in a value that is JSON: the input of a tool. */
export function saidWithin(value: unknown): Said[] {
  if (typeof value !== 'object' || value === null) return []
  const holder = value as JsonObject
  return Object.keys(holder).flatMap((field) =>
    typeof holder[field] === 'string' ? [{ in: holder, field }] : saidWithin(holder[field]),
  )
}
