import type { JsonObject } from '../../domain/request/call-request.ts'
import type { Assembly } from '../assembly.ts'
import { joinText, objectsIn } from '../join-deltas.ts'

/** The completion that the chunks of a stream add up to. */
export function assembleText(mostText?: number): Assembly {
  const choices = new Map<unknown, JsonObject>()
  const answer: JsonObject = {}
  return {
    add({ choices: parts, ...fields }) {
      for (const [name, value] of Object.entries(fields)) if (value !== null) answer[name] = value
      for (const { index, text, ...rest } of objectsIn(parts)) {
        const before = choices.get(index)
        choices.set(index, { ...before, index, ...rest, text: joinText(before?.['text'], text, mostText) })
      }
    },
    answer: () => ({ ...answer, choices: [...choices.values()] }),
  }
}
