import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { EXTENSIONS } from '../chat/request.ts'
import type { Dialect } from './dialect.ts'

const ROLES: ReadonlySet<unknown> = new Set(['system', 'developer'])
/** Where callers hold a model's reasoning: as this family's servers gave it, and as the other format has it. */
const REASONING = ['reasoning_content', 'reasoning'] as const

/** The conversation as this server takes it. */
export function fitMessages(body: JsonObject, { vendor, options }: Dialect, ignored: string[]): void {
  const { messages } = body
  const { system_role: role, reasoning_field: reasoningField } = options
  const { messageFields } = vendor
  if (!Array.isArray(messages)) return
  if (role === undefined && reasoningField === undefined && messageFields === undefined) return
  const lost = new Set<string>()
  body['messages'] = messages.map((message: JsonObject) => {
    const copy = { ...message }
    if (role !== undefined && ROLES.has(copy['role'])) copy['role'] = role
    if (reasoningField !== undefined && copy['role'] === 'assistant') playBack(copy, reasoningField)
    if (messageFields !== undefined) keepOnly(copy, messageFields, lost)
    return copy
  })
  ignored.push(...lost)
}

function playBack(message: JsonObject, field: (typeof REASONING)[number]): void {
  const text = REASONING.map((name) => message[name]).find((value) => typeof value === 'string')
  const known = text ?? thoughtsOf(message['thinking_blocks'])
  for (const name of REASONING) if (name !== field) delete message[name]
  if (known !== null) message[field] = known
}

function thoughtsOf(blocks: unknown): string | null {
  if (!Array.isArray(blocks)) return null
  const texts = blocks.flatMap((block) =>
    isJsonObject(block) && typeof block['thinking'] === 'string' ? [block['thinking']] : [],
  )
  return texts.length === 0 ? null : texts.join('\n')
}

/** What others gave with their answers, e.g. `annotations: []`, is not worth a report while it says nothing. */
function keepOnly(message: JsonObject, fields: ReadonlySet<string>, lost: Set<string>): void {
  for (const name of Object.keys(message)) {
    if (fields.has(name) || EXTENSIONS.includes(name)) continue
    const value = message[name]
    if ((value ?? null) !== null && !(Array.isArray(value) && value.length === 0)) lost.add(`messages.${name}`)
    delete message[name]
  }
}
