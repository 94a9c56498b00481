import { sourceCheck } from './image-rules.ts'
import { EFFORTS } from './models.ts'
import {
  all,
  anyObject,
  arrayOf,
  atLeast,
  boolean,
  type Check,
  literal,
  matching,
  numberBetween,
  object,
  openObject,
  tagged,
  text,
  textOr,
} from './shape.ts'

const TOOL_ID = /^[a-zA-Z0-9_-]+$/
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/

const type = (name: string) => ({ type: literal(name) })
const cache = { cache_control: object(type('ephemeral'), { ttl: literal('5m', '1h') }) }
const citations = object({}, { enabled: boolean })

const nonEmptyText: Check = (value, path) =>
  text(value, path) ?? (value === '' ? 'messages: text content blocks must be non-empty' : null)

const textBlock = object({ ...type('text'), text: nonEmptyText }, { ...cache, citations: arrayOf(anyObject) })
const imageBlock = object({ ...type('image'), source: sourceCheck('image') }, cache)
const documentBlock = object(
  { ...type('document'), source: sourceCheck('document') },
  { ...cache, title: text, context: text, citations },
)
const resultContent = textOr(arrayOf(tagged({ text: textBlock, image: imageBlock, document: documentBlock })))
const toolUse = object(
  { ...type('tool_use'), id: matching(TOOL_ID), name: matching(TOOL_NAME), input: anyObject },
  cache,
)
const toolResult = object(
  { ...type('tool_result'), tool_use_id: matching(TOOL_ID) },
  { ...cache, content: resultContent, is_error: boolean },
)

const block = tagged({
  text: textBlock,
  image: imageBlock,
  document: documentBlock,
  tool_use: toolUse,
  tool_result: toolResult,
  thinking: object({ ...type('thinking'), thinking: text, signature: text }),
  redacted_thinking: object({ ...type('redacted_thinking'), data: text }),
})

const message = object({ role: literal('user', 'assistant'), content: textOr(arrayOf(block)) })

const messages: Check = (value, path) =>
  Array.isArray(value) && value.length === 0
    ? 'messages: at least one message is required'
    : arrayOf(message)(value, path)

const system: Check = (value, path) => {
  const isBlank = (content: unknown) => typeof content === 'string' && content.trim() === ''
  if (isBlank(value)) return 'system: text content blocks must contain non-whitespace text'
  if (typeof value === 'string') return null
  if (Array.isArray(value) && value.length === 0) return 'system: List should have at least 1 item after validation'
  const problem = arrayOf(object({ ...type('text'), text }, { ...cache, citations: arrayOf(anyObject) }))(value, path)
  if (problem) return problem
  return (value as { text: string }[]).some((entry) => isBlank(entry.text))
    ? 'system: text content blocks must contain non-whitespace text'
    : null
}

const search = (name: string) =>
  object({ ...type(name), name: text }, { ...cache, max_uses: numberBetween(1, 1000), user_location: anyObject })

const tool = tagged(
  {
    web_search_20250305: search('web_search_20250305'),
    custom: object(
      { name: matching(TOOL_NAME), input_schema: anyObject },
      { ...type('custom'), ...cache, description: text, strict: boolean },
    ),
  },
  'custom',
)

const parallel = { disable_parallel_tool_use: boolean }

const toolChoice = tagged({
  auto: object(type('auto'), parallel),
  any: object(type('any'), parallel),
  tool: object({ ...type('tool'), name: text }, parallel),
  none: object(type('none')),
})

const thinking = tagged({
  adaptive: object(type('adaptive'), { display: literal('omitted', 'summarized') }),
  enabled: object({ ...type('enabled'), budget_tokens: atLeast(1024) }, { display: literal('omitted', 'summarized') }),
  disabled: object(type('disabled')),
  between_tools: object(type('between_tools')),
})

const outputConfig = object(
  {},
  {
    effort: literal(...EFFORTS),
    format: tagged({ json_schema: object({ ...type('json_schema'), schema: anyObject }) }),
  },
)

const stopSequence: Check = (value, path) => {
  const problem = text(value, path)
  if (problem) return problem
  if (value === '') return 'stop_sequences: each stop sequence must be non-empty'
  return (value as string).trim() === '' ? 'stop_sequences: each stop sequence must contain non-whitespace' : null
}

const EMAIL = /^[^@\s]+@[^@\s]+\.[^@\s]+$/
const PHONE = /^\+?[\d\s().-]{7,20}$/

const userId: Check = (value, path) => {
  const problem = text(value, path)
  if (problem) return problem
  if ((value as string).length > 256) return `${path}: String should have at most 256 characters`
  return EMAIL.test(value as string) || PHONE.test(value as string)
    ? `${path}: user_id appears to contain an email address or phone number. Please use an opaque identifier`
    : null
}

const model: Check = all(text, matching(/^\S+$/))

/** Every key of the Messages API that a chat-completions gateway may send. */
export const requestShape: Check = object(
  { model, max_tokens: atLeast(0), messages },
  {
    system,
    ...cache,
    inference_geo: literal('global', 'us'),
    metadata: object({}, { user_id: userId }),
    output_config: outputConfig,
    service_tier: literal('auto', 'standard_only'),
    stop_sequences: arrayOf(stopSequence),
    stream: boolean,
    temperature: numberBetween(0, 1),
    thinking,
    tool_choice: toolChoice,
    tools: arrayOf(tool),
    top_k: atLeast(0),
    top_p: numberBetween(0, 1),
  },
)

const betaMessage = openObject({
  role: literal('user', 'assistant', 'system'),
  content: textOr(arrayOf(openObject({ type: text }))),
})

/** What applies with any betas. */
export const betaShape: Check = openObject({
  model,
  max_tokens: atLeast(0),
  messages: arrayOf(betaMessage),
})

/** Counting takes what decides the number of tokens of the prompt. */
export const countShape: Check = object(
  { model, messages },
  {
    system,
    output_config: outputConfig,
    thinking,
    tool_choice: toolChoice,
    tools: arrayOf(tool),
    ...cache,
    speed: literal('standard', 'fast'),
  },
)

export const betaCountShape: Check = openObject({ model, messages: arrayOf(betaMessage) })
