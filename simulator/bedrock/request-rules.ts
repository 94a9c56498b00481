import { isObject, type JsonObject, objectOrEmpty, objectsIn } from '../json.ts'

const FIELDS = new Set([
  'messages',
  'system',
  'inferenceConfig',
  'toolConfig',
  'guardrailConfig',
  'additionalModelRequestFields',
  'promptVariables',
  'additionalModelResponseFieldPaths',
  'requestMetadata',
  'performanceConfig',
  'serviceTier',
  'outputConfig',
])
const BLOCKS = ['text', 'image', 'document', 'toolUse', 'toolResult', 'reasoningContent', 'cachePoint']
const SETTINGS: Record<string, string> = {
  maxTokens: 'number',
  temperature: 'number',
  topP: 'number',
  stopSequences: 'object',
}

/** The vendor's message, or null when a Converse request is good. */
export function problemWithConverse(body: JsonObject): string | null {
  const unknown = Object.keys(body).find((name) => !FIELDS.has(name))
  if (unknown !== undefined) return `#: extraneous key [${unknown}] is not permitted`
  return (
    problemWithTurns(objectsIn(body['messages'])) ??
    problemWithSystem(body['system']) ??
    problemWithInference(objectOrEmpty(body['inferenceConfig'])) ??
    problemWithTools(body) ??
    problemWithOutput(objectOrEmpty(body['outputConfig']))
  )
}

function problemWithTurns(messages: JsonObject[]): string | null {
  if (messages[0]?.['role'] !== 'user') return 'A conversation must start with a user message.'
  let open: unknown[] = []
  for (const [at, { role, content }] of messages.entries()) {
    if (role !== (at % 2 === 0 ? 'user' : 'assistant')) return 'The roles of the messages must alternate.'
    const blocks = objectsIn(content)
    if (blocks.length === 0) return `messages.${at}.content is empty`
    const problem = blocks.map((block) => problemWithBlock(block, `messages.${at}`)).find((each) => each !== null)
    if (problem) return problem
    if (
      blocks.some((block) => block['document'] !== undefined) &&
      !blocks.some((block) => block['text'] !== undefined)
    ) {
      return 'A text block must be included when a document is.'
    }
    const results = blocks.flatMap(({ toolResult }) => (isObject(toolResult) ? [toolResult['toolUseId']] : []))
    if (results.length !== open.length || !open.every((id) => results.includes(id))) {
      return `Expected toolResult blocks at messages.${at}.content for the following Ids: ${open.join(', ')}`
    }
    open = blocks.flatMap(({ toolUse }) => (isObject(toolUse) ? [toolUse['toolUseId']] : []))
  }
  return null
}

function problemWithBlock(block: JsonObject, path: string): string | null {
  const names = Object.keys(block)
  if (names.length !== 1 || !BLOCKS.includes(names[0] ?? '')) return `${path}: a block has exactly one known member`
  const { text, image, document, toolUse, toolResult } = block
  if (text !== undefined && (typeof text !== 'string' || text.trim() === '')) {
    return `The text field in the ContentBlock object at ${path} is blank.`
  }
  const bytes = objectOrEmpty(objectOrEmpty(image ?? document)['source'])['bytes']
  if ((image ?? document) !== undefined && (typeof bytes !== 'string' || !/^[A-Za-z0-9+/]+=*$/.test(bytes))) {
    return `${path}: source.bytes is not base64`
  }
  if (image !== undefined && !['png', 'jpeg', 'gif', 'webp'].includes(String(objectOrEmpty(image)['format']))) {
    return `${path}: the image format is not known`
  }
  if (document !== undefined && !/^[A-Za-z0-9 ()[\]-]{1,200}$/.test(String(objectOrEmpty(document)['name']))) {
    return `${path}: the name of a document has only letters, digits, spaces, hyphens, parentheses and brackets`
  }
  if (toolUse !== undefined && !isObject(objectOrEmpty(toolUse)['input'])) return `${path}: toolUse.input is no object`
  if (toolResult === undefined) return null
  const results = objectsIn(objectOrEmpty(toolResult)['content'])
  return results.length === 0 ? `${path}: toolResult.content is empty` : firstProblem(results, path)
}

function firstProblem(blocks: JsonObject[], path: string): string | null {
  return (
    blocks
      .filter((block) => block['json'] === undefined)
      .map((block) => problemWithBlock(block, path))
      .find((each) => each !== null) ?? null
  )
}

function problemWithSystem(system: unknown): string | null {
  if (system === undefined) return null
  return Array.isArray(system) && system.length > 0
    ? firstProblem(objectsIn(system), 'system')
    : 'system: expected a list'
}

function problemWithInference(config: JsonObject): string | null {
  for (const [name, value] of Object.entries(config)) {
    if (SETTINGS[name] !== typeof value) return `inferenceConfig.${name} is not valid`
  }
  return null
}

function problemWithTools(body: JsonObject): string | null {
  const config = body['toolConfig']
  const blocks = objectsIn(body['messages']).flatMap(({ content }) => objectsIn(content))
  const hasHistory = blocks.some(({ toolUse, toolResult }) => (toolUse ?? toolResult) !== undefined)
  if (config === undefined) {
    return hasHistory ? 'The toolConfig field must be defined when using toolUse and toolResult content blocks.' : null
  }
  const tools = objectsIn(objectOrEmpty(config)['tools'])
  if (tools.length === 0) return 'toolConfig.tools is empty'
  for (const { toolSpec } of tools) {
    const { name, inputSchema } = objectOrEmpty(toolSpec)
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(name))) return `toolSpec.name ${name} is not valid`
    if (objectOrEmpty(objectOrEmpty(inputSchema)['json'])['type'] !== 'object')
      return 'inputSchema.json.type must be object'
  }
  const choice = objectOrEmpty(config)['toolChoice']
  if (choice === undefined) return null
  return ['auto', 'any', 'tool'].includes(Object.keys(objectOrEmpty(choice)).join()) ? null : 'toolChoice is not valid'
}

function problemWithOutput({ textFormat }: JsonObject): string | null {
  if (textFormat === undefined) return null
  const { schema } = objectOrEmpty(objectOrEmpty(objectOrEmpty(textFormat)['structure'])['jsonSchema'])
  return typeof schema === 'string' && isObject(JSON.parse(schema)) ? null : 'jsonSchema.schema is not a text'
}
