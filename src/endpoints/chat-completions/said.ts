import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import { objectsIn } from '../join-deltas.ts'
import { type PieceOf, type Said, type SaidFormat, saidAt, WHOLE } from '../said.ts'

export const saidInChat: SaidFormat = {
  whole: ({ choices }) => objectsIn(choices).flatMap(({ message }) => saidBy(message, WHOLE)),
  event: (event) =>
    saidInChoices(event, ({ delta }, pieceOf) =>
      saidBy(delta, (name, made) => pieceOf(name, (text) => ({ delta: made(text) }))),
    ),
}

/** Of chunks, whose choices each say something. */
export function saidInChoices(event: JsonObject, said: (choice: JsonObject, pieceOf: PieceOf) => Said[]) {
  const choices = objectsIn(event['choices'])
  return {
    said: choices.flatMap((choice) => {
      const { index } = choice
      return said(choice, (name, made) => ({
        of: `${index} ${name}`,
        alone: (text) => ({
          ...event,
          ...('usage' in event && { usage: null }),
          choices: [{ index, ...made(text), finish_reason: null }],
        }),
      }))
    }),
    ends: choices.flatMap(({ index, finish_reason: reason }) => (reason == null ? [] : [`${index} `])),
  }
}

function saidBy(message: unknown, pieceOf: PieceOf): Said[] {
  if (!isJsonObject(message)) return []
  const { content, tool_calls: calls, function_call: call } = message
  return [
    ...['content', 'refusal'].flatMap((name) =>
      saidAt(
        message,
        name,
        pieceOf(name, (text) => ({ [name]: text })),
      ),
    ),
    ...objectsIn(content).flatMap((part) => saidAt(part, 'text')),
    ...objectsIn(calls).flatMap(({ index, function: called, custom }) => {
      const made = (part: JsonObject) => ({ tool_calls: [{ index, ...part }] })
      const json = pieceOf(`call ${index}`, (text) => made({ function: { arguments: text } }))
      const input = pieceOf(`call ${index}`, (text) => made({ custom: { input: text } }))
      return [...saidAt(called, 'arguments', { isJson: true, ...json }), ...saidAt(custom, 'input', input)]
    }),
    ...saidAt(call, 'arguments', {
      isJson: true,
      ...pieceOf('call', (text) => ({ function_call: { arguments: text } })),
    }),
  ]
}
