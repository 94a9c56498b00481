import { isJsonObject, type JsonObject } from '../domain/request/call-request.ts'

/** The answer of a stream while it arrives: the data of its events, one by one. */
export interface Assembly {
  add(event: JsonObject): void
  /** What the events until now add up to. */
  answer(): JsonObject
}

/** `mostText`: of a text that arrives in pieces about so many characters are kept; missing: all. */
export type Assemble = (mostText?: number) => Assembly

export function assembled(assembly: Assembly, events: readonly JsonObject[]): JsonObject {
  for (const event of events) assembly.add(event)
  return assembly.answer()
}

/** Of server-sent events the data, where it is a JSON object. */
export function eventsIn(frames: string): JsonObject[] {
  return frames
    .split('\n')
    .map(eventIn)
    .filter((event) => event !== null)
}

export function eventIn(line: string): JsonObject | null {
  if (!line.startsWith('data:')) return null
  try {
    const value: unknown = JSON.parse(line.slice('data:'.length))
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}
