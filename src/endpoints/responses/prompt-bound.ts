import type { PromptTokens } from '../../domain/request/bounds.ts'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import { isOwnCapsule } from '../../domain/request/compaction.ts'
import type { ResponsesRequest } from '../../domain/request/responses.ts'
import { IMAGE_TOKENS, INSTRUCTION_TOKENS } from '../chat-completions/prompt-bound.ts'
import { countImage, hasOnly, isPlainText, newParts, type PromptParts, promptOf, textBytes } from '../prompt-parts.ts'
import { declaredTools } from './tools.ts'

/** What a tool grows by where it is translated: a wrapping, a longer name. */
const TOOL_TOKENS = 400

/** Parts of a prompt that the provider stores: their length is unknown here. */
export const KEPT = ['previous_response_id', 'conversation', 'prompt', 'context_management'] as const
/**
 * At most the bytes of the request's JSON, as for chat (chat-completions/prompt-bound.ts). Null where the provider adds
 * to the prompt: with what it keeps, with documents, or with what its own tools find.
 */
export function promptTokens(request: ResponsesRequest, bytes: number | null = null): PromptTokens {
  if (KEPT.some((name) => (request[name] ?? null) !== null)) return promptOf(null)
  const isPlain = isTextAlone(request)
  if (isPlain && bytes !== null) return promptOf(bytes)
  const { own, hosted } = declaredTools(request)
  // Where a hard budget counts on this bound, tools that it can hold for are held for beside it, and others left out.
  if (hosted.some(({ type, isCallers }) => !isCallers && !isHeldFor(type))) return promptOf(null)
  const parts = newParts()
  if (!isPlain && Array.isArray(request.input)) for (const item of request.input) countItem(item, parts)
  const { images, hasFile, hasUnknown } = parts
  if (hasFile) return promptOf(null)
  const added = images.size * IMAGE_TOKENS + INSTRUCTION_TOKENS + own.length * TOOL_TOKENS
  return promptOf(textBytes(request, parts) + added, hasUnknown, images.size > 0)
}

function isHeldFor(type: string): boolean {
  return type.startsWith('web_search') || type === 'file_search' || type === 'code_interpreter'
}

/** No tools, schemas, images or documents. */
function isTextAlone({ input, tools, text }: ResponsesRequest): boolean {
  if ((tools ?? text ?? null) !== null) return false
  return typeof input === 'string' || (Array.isArray(input) && input.every(isTextItem))
}

function isTextItem({ type, content }: JsonObject): boolean {
  if ((type ?? 'message') !== 'message') return false
  return typeof content === 'string' || (Array.isArray(content) && content.every(isTextPart))
}

const TEXTS: ReadonlySet<unknown> = new Set(['input_text', 'output_text', 'text', 'refusal', 'reasoning_text'])
const TEXT_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'text',
  'refusal',
  'annotations',
  'logprobs',
  'cache_control',
  'prompt_cache_breakpoint',
])

function isTextPart(part: unknown): boolean {
  return isJsonObject(part) && TEXTS.has(part['type']) && hasOnly(part, TEXT_FIELDS)
}

/** Items whose text is in the request, apart from the parts of `content` and `output`. */
const ITEMS: ReadonlySet<unknown> = new Set([
  'message',
  'reasoning',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'local_shell_call',
  'local_shell_call_output',
  'shell_call',
  'shell_call_output',
  'apply_patch_call',
  'apply_patch_call_output',
  'computer_call',
  'computer_call_output',
  'tool_search_call',
  'tool_search_output',
  'additional_tools',
  'web_search_call',
  'mcp_call',
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_approval_response',
  'agent_message',
  // The instruction that takes its place is among INSTRUCTION_TOKENS.
  'compaction_trigger',
])
/** Kept by the provider, or packed. */
const FILES: ReadonlySet<unknown> = new Set(['item_reference', 'compaction', 'compaction_summary', 'input_audio'])
const IMAGES: ReadonlySet<unknown> = new Set(['input_image', 'computer_screenshot'])
const IMAGE_FIELDS: ReadonlySet<string> = new Set(['type', 'image_url', 'detail', 'prompt_cache_breakpoint'])

function countItem(item: JsonObject, parts: PromptParts): void {
  const type = item['type'] ?? 'message'
  if (type === 'image_generation_call') parts.images.add(item)
  else if (FILES.has(type) && !isOwnCapsule(item)) parts.hasFile = true
  else if (!FILES.has(type) && !ITEMS.has(type)) parts.hasUnknown = true
  countParts(item['content'], parts)
  countParts(item['output'], parts)
}

/** Results of a shell are outputs without a type. */
function countParts(value: unknown, parts: PromptParts): void {
  if (Array.isArray(value)) for (const part of value) countParts(part, parts)
  else if (isJsonObject(value) && (value['type'] ?? null) !== null && !isTextPart(value)) countPart(value, parts)
}

function countPart(part: JsonObject, parts: PromptParts): void {
  const { type, image_url: url } = part
  if (IMAGES.has(type)) countImage(part, url, hasOnly(part, IMAGE_FIELDS), parts)
  else if (FILES.has(type) || (type === 'input_file' && !isPlainText(part))) parts.hasFile = true
  else if (type !== 'input_file') parts.hasUnknown = true
}
