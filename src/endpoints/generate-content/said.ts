import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import { objectsIn } from '../join-deltas.ts'
import { type PieceOf, type Said, type SaidFormat, saidAt, saidWithin, WHOLE } from '../said.ts'

export const saidInContents: SaidFormat = {
  whole: ({ candidates }) => objectsIn(candidates).flatMap((candidate) => saidBy(partsOf(candidate), WHOLE)),
  event(event) {
    const candidates = objectsIn(event['candidates'])
    return {
      said: candidates.flatMap((candidate) => saidBy(partsOf(candidate), pieceOf(event, candidate['index']))),
      ends: candidates
        .filter((candidate) => candidate['finishReason'] != null || !partsOf(candidate).every(isText))
        .map(({ index }) => nameOf(index)),
    }
  },
}

function pieceOf({ usageMetadata: _, xGateway: __, ...event }: JsonObject, index: unknown): PieceOf {
  return (_name, made) => ({
    of: nameOf(index),
    alone: (text) => ({ ...event, candidates: [{ content: { role: 'model', parts: [made(text)] }, index }] }),
  })
}

function saidBy(parts: JsonObject[], piece: PieceOf): Said[] {
  return parts.flatMap((part) => {
    const { functionCall: call } = part
    if (isText(part))
      return saidAt(
        part,
        'text',
        piece('text', (text) => ({ text })),
      )
    return isJsonObject(call) ? saidWithin(call['args']) : []
  })
}

/** What it says, not what it thinks. */
function isText({ text, thought }: JsonObject): boolean {
  return typeof text === 'string' && thought !== true
}

function partsOf({ content }: JsonObject): JsonObject[] {
  return isJsonObject(content) ? objectsIn(content['parts']) : []
}

function nameOf(index: unknown): string {
  return `${index ?? 0} `
}
