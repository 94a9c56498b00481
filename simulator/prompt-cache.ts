import { createHash } from 'node:crypto'
import { isObject, type JsonObject, objectOrEmpty, objectsIn } from './json.ts'
import { countTokens } from './tokens.ts'

/** How a vendor decides what it keeps: by markers in the prompt, or by its beginning alone. */
export type CacheRule = 'marked' | 'prefix'

export interface CacheUse {
  cachedTokens: number
  cacheWriteTokens: number
}

/** The shortest prompt that is kept, and the steps in which its beginning is found again. */
const LEAST_TOKENS = 1024
const STEP = 128
/** From a marker so many blocks back an earlier entry is looked for. */
const LOOK_BACK = 20
const MOST_MARKERS = 4

interface Block {
  text: string
  isMarked: boolean
}

/** Beginnings of prompts that this vendor has read, as hashes of what reaches the model; nothing expires. */
export class PromptCache {
  readonly #known = new Set<string>()

  use(rule: CacheRule, body: JsonObject): CacheUse {
    const blocks = blocksOf(body)
    // What steers a session to a machine: another one has not read its prompt.
    const scope = JSON.stringify([body['model'], body['prompt_cache_key'] ?? null])
    return rule === 'prefix' ? this.#prefix(blocks, scope) : this.#marked(blocks, scope)
  }

  #prefix(blocks: readonly Block[], scope: string): CacheUse {
    const text = blocks.map((block) => block.text).join('\n')
    let cachedTokens = 0
    for (let tokens = LEAST_TOKENS; tokens <= countTokens(text); tokens += STEP) {
      const name = hashOf(scope, text.slice(0, tokens * 4))
      if (this.#known.has(name)) cachedTokens = tokens
      this.#known.add(name)
    }
    return { cachedTokens, cacheWriteTokens: 0 }
  }

  #marked(blocks: readonly Block[], scope: string): CacheUse {
    const marks = blocks.flatMap(({ isMarked }, at) => (isMarked ? [at] : [])).slice(0, MOST_MARKERS)
    let [read, written] = [0, 0]
    for (const mark of marks) {
      for (let at = mark; at >= Math.max(0, mark - LOOK_BACK); at--) {
        const { tokens, name } = upTo(blocks, at, scope)
        if (tokens < LEAST_TOKENS || !this.#known.has(name)) continue
        read = Math.max(read, tokens)
        break
      }
    }
    for (const mark of marks) {
      const { tokens, name } = upTo(blocks, mark, scope)
      if (tokens < LEAST_TOKENS) continue
      written = Math.max(written, tokens)
      this.#known.add(name)
    }
    return { cachedTokens: read, cacheWriteTokens: Math.max(0, written - read) }
  }
}

function upTo(blocks: readonly Block[], at: number, scope: string) {
  const text = blocks
    .slice(0, at + 1)
    .map((block) => block.text)
    .join('\n')
  return { tokens: countTokens(text), name: hashOf(scope, text) }
}

function hashOf(scope: string, text: string): string {
  return createHash('sha256').update(`${scope}\n${text}`).digest('base64')
}

/** Tools, then the system, then the conversation: in the order in which every vendor reads them. */
function blocksOf(body: JsonObject): Block[] {
  const tools = [
    ...objectsIn(body['tools']).flatMap((tool) => (isObject(tool) ? [tool] : [])),
    ...objectsIn(objectOrEmpty(body['toolConfig'])['tools']),
  ]
  const system = body['system'] ?? body['instructions'] ?? objectOrEmpty(body['systemInstruction'])['parts'] ?? ''
  const turns = objectsIn(body['messages'] ?? body['contents'] ?? body['input'])
  const blocks = [
    ...tools.flatMap((tool) => inBlocks('', [tool])),
    ...inBlocks('system', system),
    ...turns.flatMap((turn) => inBlocks(String(turn['role'] ?? ''), turn['content'] ?? turn['parts'] ?? [turn])),
  ]
  // One at the top stands for one on the last block.
  const last = blocks.at(-1)
  if (last !== undefined && body['cache_control'] !== undefined) last.isMarked = true
  return blocks
}

function inBlocks(role: string, content: unknown): Block[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: `${role}: ${content}`, isMarked: false }]
  const blocks: Block[] = []
  for (const block of objectsIn(content)) {
    const last = blocks.at(-1)
    if (block['cachePoint'] === undefined) {
      blocks.push({ text: `${role}: ${textOf(block)}`, isMarked: block['cache_control'] !== undefined })
    } else if (last !== undefined) last.isMarked = true
  }
  return blocks
}

/** What the model reads of it: a marker is not read. */
function textOf({ cache_control: _, ...block }: JsonObject): string {
  return typeof block['text'] === 'string' ? block['text'] : JSON.stringify(block)
}
