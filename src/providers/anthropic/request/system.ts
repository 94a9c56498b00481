import { isJsonObject, type JsonObject } from '../../../domain/request/call-request.ts'
import { mistake } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'
import { cacheMarker } from './cache-control.ts'
import { type Block, contentBlocks, isBlank } from './content-parts.ts'
import type { Notes } from './notes.ts'

/** System and developer texts, moved out of the conversation in order. */
export interface SystemPrompt {
  blocks: Block[]
  /** Only strings without cache markers so far: one string is enough. */
  isPlain: boolean
}

export function addSystemMessage(prompt: SystemPrompt, message: JsonObject, path: string, notes: Notes): void {
  const content = message['content']
  if (Array.isArray(content)) prompt.isPlain = false
  refuseOtherThanText(content, path)
  const blocks = contentBlocks(content, `${path}.content`, notes)
  const kept = blocks.filter((block) => !isBlank(String(block['text'])))
  const last = kept.at(-1)
  const marker = last === undefined ? undefined : cacheMarker(message, path, notes)
  if (last !== undefined && marker !== undefined) {
    last['cache_control'] = marker
    prompt.isPlain = false
  }
  prompt.blocks.push(...kept)
}

function refuseOtherThanText(content: unknown, path: string): void {
  if (!Array.isArray(content)) return
  content.forEach((part, index) => {
    if (isJsonObject(part) && part['type'] !== 'text') {
      mistake(worded`${path}.content[${index}].type: a system message takes text only`)
    }
  })
}

/** Undefined when no text is left: the API rejects blank system prompts. */
export function systemContent(prompt: SystemPrompt): string | Block[] | undefined {
  if (prompt.blocks.length === 0) return undefined
  if (!prompt.isPlain) return prompt.blocks
  return prompt.blocks.map((block) => block['text']).join('\n')
}
