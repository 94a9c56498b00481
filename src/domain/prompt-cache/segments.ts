import { crc32 } from 'node:zlib'
import { isJsonObject, type JsonObject } from '../request/call-request.ts'

/** The parts of a request that become its prompt, in the order in which providers read them. */
export interface PromptSource {
  tools: readonly { name: unknown; definition: unknown }[]
  system: readonly unknown[]
  /** Fields that decide how the prompt is written, such as the choice of a tool. */
  params: JsonObject
  messages: readonly unknown[]
}

/**
 * Salted checksums of a prompt, and the names of its tools and fields: never its content. They stay in memory and only tell
 * one text from another, for which a tenth of the time of a hash is enough.
 */
export interface PromptSegments {
  tools: readonly Segment[]
  system: readonly number[]
  params: readonly Segment[]
  messages: readonly number[]
  /** Asks for an hour in the cache instead of minutes. */
  isKeptLong: boolean
}

export interface Segment {
  /** Null: it has none that may be shown. */
  name: string | null
  sum: number
}

/** Of each kind; of longer prompts the beginning is compared. */
const MOST = { tools: 256, system: 64, messages: 1_000 }
/** What every provider takes as the name of a tool. */
const NAME = /^[\w.:/-]{1,64}$/

export function promptSegments({ tools, system, params, messages }: PromptSource, salt: string): PromptSegments {
  const reader = new Reader(salt)
  return {
    tools: tools.slice(0, MOST.tools).map(({ name, definition }) => ({
      name: typeof name === 'string' && NAME.test(name) ? name : null,
      sum: reader.sumOf(definition),
    })),
    system: system.slice(0, MOST.system).map((block) => reader.sumOf(block)),
    params: Object.entries(params)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => ({ name, sum: reader.sumOf(value) })),
    messages: messages.slice(0, MOST.messages).map((message) => reader.sumOf(message)),
    isKeptLong: reader.isKeptLong,
  }
}

class Reader {
  isKeptLong = false
  readonly #seed: number

  constructor(salt: string) {
    this.#seed = crc32(salt)
  }

  sumOf(value: unknown): number {
    return crc32(this.#textOf(value), this.#seed)
  }

  /** Clients move their markers from turn to turn, and write a text with one as a block and without one as a string. */
  #textOf(value: unknown): string {
    if (typeof value === 'string') return value
    if (!isJsonObject(value)) return this.#unmarked(value)
    const { content, ...rest } = value
    const text = plainText(content)
    if (text === null) return this.#unmarked(value)
    const marker = onlyBlock(content)?.['cache_control']
    if (isJsonObject(marker) && marker['ttl'] === '1h') this.isKeptLong = true
    return `${this.#unmarked(rest)} ${text}`
  }

  #unmarked(value: unknown): string {
    const json = JSON.stringify(value) ?? ''
    if (!json.includes('"cache_control":') && !json.includes('"prompt_cache_breakpoint":')) return json
    if (json.includes(LONG)) this.isKeptLong = true
    return json.replace(MARKERS, '')
  }
}

const LONG = '"ttl":"1h"'
/** Inside of a text the quotes would be escaped. */
const MARKERS =
  /,"(?:cache_control|prompt_cache_breakpoint)":(?:\{[^{}]*\}|null)|"(?:cache_control|prompt_cache_breakpoint)":(?:\{[^{}]*\}|null),?/g
const TEXT_TYPES: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text'])

/** Of content that is one text, however it is written; null: it is more. */
function plainText(content: unknown): string | null {
  if (typeof content === 'string') return content
  const block = onlyBlock(content)
  if (block === null) return null
  const { type, text, cache_control: _control, prompt_cache_breakpoint: _breakpoint, ...rest } = block
  return TEXT_TYPES.has(type) && typeof text === 'string' && Object.keys(rest).length === 0 ? text : null
}

function onlyBlock(content: unknown): JsonObject | null {
  return Array.isArray(content) && content.length === 1 && isJsonObject(content[0]) ? content[0] : null
}
