import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { mistake, quoted, refuse, requiredText } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'

/** Some agents send billing data in the first block: only the vendor understands it. */
const BILLING = /^x-[a-z]+-billing-header:/

export function systemMessages(system: unknown, ignored: Set<string>): JsonObject[] {
  const content = systemText(system, 'system', ignored)
  return content === '' ? [] : [{ role: 'system', content }]
}

export function systemText(system: unknown, path: string, ignored: Set<string>): string {
  if (system === null || system === undefined) return ''
  if (typeof system === 'string') return system
  if (!Array.isArray(system)) return mistake(worded`${path}: expected a string or an array of blocks`)
  const texts = system.map((block: unknown, index) => textOf(block, `${path}[${index}]`, ignored))
  return texts.filter((text) => text !== '' && !BILLING.test(text)).join('\n')
}

function textOf(block: unknown, path: string, ignored: Set<string>): string {
  if (!isJsonObject(block)) return mistake(worded`${path}: expected an object`)
  if (block['type'] !== 'text')
    return refuse(worded`${path}.type: ${quoted(block['type'])} is not supported by this provider`)
  if ((block['cache_control'] ?? null) !== null) ignored.add('cache_control')
  return requiredText(block['text'], `${path}.text`)
}
