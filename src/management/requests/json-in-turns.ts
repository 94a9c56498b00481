import { mapInTurns } from '../../store/engine/in-turns.ts'

/** Below this a list is written in one go. */
const LONG = 50

/** `JSON.stringify` of an answer whose lists may be long: half a megabyte at once would hold the loop for 5 ms and more. */
export async function jsonInTurns(answer: object): Promise<string> {
  if (Array.isArray(answer) || 'toJSON' in answer) return JSON.stringify(answer)
  const fields: string[] = []
  for (const [name, value] of Object.entries(answer)) {
    const text = Array.isArray(value) && value.length > LONG ? await listInTurns(value) : JSON.stringify(value)
    if (text !== undefined) fields.push(`${JSON.stringify(name)}:${text}`)
  }
  return `{${fields.join(',')}}`
}

async function listInTurns(list: readonly unknown[]): Promise<string> {
  const items = await mapInTurns(list, (item) => JSON.stringify(item) ?? 'null')
  return `[${items.join(',')}]`
}
