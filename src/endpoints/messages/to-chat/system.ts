import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { mistake, quoted, refuse, requiredText } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'
import { isMarked, type Part, textPart } from './content.ts'
import { marked, type Notes } from './notes.ts'

/** Some agents send billing data in the first block: only the vendor understands it. */
const BILLING = /^x-[a-z]+-billing-header:/

export function systemMessages(system: unknown, notes: Notes): JsonObject[] {
  const content = systemContent(system, 'system', notes)
  return content.length === 0 ? [] : [{ role: 'system', content }]
}

/** One text, or its blocks where they are marked. */
export function systemContent(system: unknown, path: string, notes: Notes): string | Part[] {
  if (system === null || system === undefined) return ''
  if (typeof system === 'string') return system
  if (!Array.isArray(system)) return mistake(worded`${path}: expected a string or an array of blocks`)
  const parts = system
    .map((block: unknown, index) => partOf(block, `${path}[${index}]`, notes))
    .filter(({ text }) => text !== '' && !BILLING.test(String(text)))
  return parts.some(isMarked) ? parts : parts.map(({ text }) => text).join('\n')
}

function partOf(block: unknown, path: string, notes: Notes): Part {
  if (!isJsonObject(block)) return mistake(worded`${path}: expected an object`)
  if (block['type'] !== 'text')
    return refuse(worded`${path}.type: ${quoted(block['type'])} is not supported by this provider`)
  return { ...textPart(requiredText(block['text'], `${path}.text`)), ...marked(block, notes) }
}
