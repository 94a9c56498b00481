import { hash } from 'node:crypto'
import { isJsonObject, type JsonObject } from '../request/call-request.ts'

/** The parts of a request that become its prompt, in the order in which providers read them. */
export interface PromptSource {
  tools: readonly { name: unknown; definition: unknown }[]
  system: readonly unknown[]
  /** Fields that decide how the prompt is written, such as the choice of a tool. */
  params: JsonObject
  messages: readonly unknown[]
}

/** Salted hashes of a prompt, and the names of its tools and fields: never its content. */
export interface PromptSegments {
  tools: readonly Segment[]
  system: readonly string[]
  params: readonly Segment[]
  messages: readonly string[]
  /** Asks for an hour in the cache instead of minutes. */
  isKeptLong: boolean
}

export interface Segment {
  /** Null: it has none that may be shown. */
  name: string | null
  hash: string
}

/** Of each kind; of longer prompts the beginning is compared. */
const MOST = { tools: 256, system: 64, messages: 1_000 }
/** Characters of a hash: 48 bits. */
const LENGTH = 8
/** What every provider takes as the name of a tool. */
const NAME = /^[\w.:/-]{1,64}$/

export function promptSegments({ tools, system, params, messages }: PromptSource, salt: string): PromptSegments {
  const reader = new Reader(salt)
  return {
    tools: tools.slice(0, MOST.tools).map(({ name, definition }) => ({
      name: typeof name === 'string' && NAME.test(name) ? name : null,
      hash: reader.hashOf(definition),
    })),
    system: system.slice(0, MOST.system).map((block) => reader.hashOf(block)),
    params: Object.entries(params)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => ({ name, hash: reader.hashOf(value) })),
    messages: messages.slice(0, MOST.messages).map((message) => reader.hashOf(message)),
    isKeptLong: reader.isKeptLong,
  }
}

class Reader {
  isKeptLong = false
  readonly #salt: string

  constructor(salt: string) {
    this.#salt = salt
  }

  hashOf(value: unknown): string {
    return hash('sha256', this.#salt + this.#textOf(value), 'base64url').slice(0, LENGTH)
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
