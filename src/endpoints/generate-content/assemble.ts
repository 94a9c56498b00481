import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import type { Assembly } from '../assembly.ts'
import { joinText, objectsIn } from '../join-deltas.ts'

/** The answer that the events of a stream add up to: of each candidate all parts, neighbouring texts as one. */
export function assembleContents(mostText?: number): Assembly {
  const candidates = new Map<unknown, JsonObject>()
  const answer: JsonObject = {}
  return {
    add({ candidates: listed, ...fields }) {
      Object.assign(answer, fields)
      for (const { content, ...rest } of objectsIn(listed)) {
        const known = candidates.get(rest['index']) ?? {}
        candidates.set(rest['index'], { ...known, ...rest, content: joined(known['content'], content, mostText) })
      }
    },
    answer: () => (candidates.size === 0 ? { ...answer } : { ...answer, candidates: [...candidates.values()] }),
  }
}

function joined(before: unknown, next: unknown, most: number | undefined): JsonObject {
  const known = isJsonObject(before) ? before : {}
  if (!isJsonObject(next)) return known
  const parts = objectsIn(known['parts'])
  for (const part of objectsIn(next['parts'])) {
    const last = parts.at(-1)
    if (last !== undefined && isText(last) && isText(part) && last['thought'] === part['thought']) {
      parts[parts.length - 1] = { ...last, text: joinText(last['text'], part['text'], most) }
    } else parts.push(part)
  }
  return { ...known, ...next, parts }
}

function isText({ text, thoughtSignature: signature }: JsonObject): boolean {
  return typeof text === 'string' && signature === undefined
}
