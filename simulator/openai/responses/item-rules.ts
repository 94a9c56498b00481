import { isObject, type JsonObject } from '../../json.ts'
import type { OpenaiError } from '../errors.ts'
import { missing, wrongType } from '../field-rules.ts'
import { invalidValue } from './field-rules.ts'
import { isSealed } from './sealed.ts'

type Rule = (item: JsonObject, path: string) => OpenaiError | null

/** Items that are checked in full. */
const CHECKED: Record<string, Rule> = {
  message: problemWithMessage,
  function_call: (item, path) => needs(item, path, ['call_id', 'name', 'arguments']) ?? problemWithId(item, path, 'fc'),
  function_call_output: (item, path) => needs(item, path, ['call_id']) ?? problemWithOutput(item, path),
  custom_tool_call: (item, path) => needs(item, path, ['call_id', 'name', 'input']) ?? problemWithId(item, path, 'ctc'),
  custom_tool_call_output: (item, path) => needs(item, path, ['call_id']) ?? problemWithOutput(item, path),
  reasoning: problemWithReasoning,
  item_reference: (item, path) => needs(item, path, ['id']),
  compaction: problemWithCapsule,
}

/** Items of tools that the vendor runs itself, and of its own bookkeeping. */
const HOSTED = [
  ...['additional_tools', 'agent_message', 'apply_patch_call', 'apply_patch_call_output', 'code_interpreter_call'],
  ...['compaction_trigger', 'computer_call', 'computer_call_output', 'configuration_update'],
  ...[
    'file_search_call',
    'image_generation_call',
    'local_shell_call',
    'local_shell_call_output',
    'mcp_approval_request',
  ],
  ...['mcp_approval_response', 'mcp_call', 'mcp_list_tools', 'program', 'program_output', 'shell_call'],
  ...['shell_call_output', 'tool_search_call', 'tool_search_output', 'web_search_call'],
]

const ROLES = ['assistant', 'system', 'developer', 'user']
const INPUT_PARTS = ['input_text', 'input_image', 'input_file', 'input_audio']
const OUTPUT_PARTS = ['output_text', 'refusal']

export function problemWithItems(items: readonly unknown[]): OpenaiError | null {
  for (const [index, item] of items.entries()) {
    const path = `input[${index}]`
    if (!isObject(item)) return wrongType(path, 'an object', item)
    const type = item['type'] ?? (item['role'] === undefined ? undefined : 'message')
    if (type === undefined) return missing(`${path}.type`)
    const rule = Object.hasOwn(CHECKED, String(type)) ? CHECKED[String(type)] : undefined
    if (!rule && !HOSTED.includes(String(type))) return invalidValue(path, type, [...Object.keys(CHECKED), ...HOSTED])
    const problem = rule?.(item, path)
    if (problem) return problem
  }
  return null
}

function needs(item: JsonObject, path: string, names: readonly string[]): OpenaiError | null {
  for (const name of names) {
    if (item[name] === undefined) return missing(`${path}.${name}`)
    if (typeof item[name] !== 'string') return wrongType(`${path}.${name}`, 'a string', item[name])
  }
  return null
}

/** An id may be left out, but is the vendor's own where it is there. */
function problemWithId(item: JsonObject, path: string, prefix: string): OpenaiError | null {
  const { id } = item
  if (id === undefined || id === null) return null
  if (typeof id === 'string' && id.startsWith(prefix)) return null
  return {
    message: `Invalid '${path}.id': '${id}'. Expected an ID that begins with '${prefix}'.`,
    param: `${path}.id`,
    code: 'invalid_value',
  }
}

function problemWithMessage(item: JsonObject, path: string): OpenaiError | null {
  const { role, content } = item
  if (role === undefined) return missing(`${path}.role`)
  if (!ROLES.includes(String(role))) return invalidValue(`${path}.role`, role, ROLES)
  if (content === undefined) return missing(`${path}.content`)
  const problem = role === 'assistant' ? problemWithId(item, path, 'msg') : null
  return problem ?? problemWithParts(content, `${path}.content`, role === 'assistant' ? OUTPUT_PARTS : INPUT_PARTS)
}

function problemWithOutput({ output }: JsonObject, path: string): OpenaiError | null {
  return output === undefined ? missing(`${path}.output`) : problemWithParts(output, `${path}.output`, INPUT_PARTS)
}

function problemWithParts(content: unknown, path: string, known: readonly string[]): OpenaiError | null {
  if (typeof content === 'string') return null
  if (!Array.isArray(content)) return wrongType(path, 'one of an array of objects or string', content)
  for (const [index, part] of content.entries()) {
    const partPath = `${path}[${index}]`
    if (!isObject(part)) return wrongType(partPath, 'an object', part)
    if (part['type'] === undefined) return missing(`${partPath}.type`)
    if (!known.includes(String(part['type']))) return invalidValue(partPath, part['type'], known)
    const problem = problemWithPart(part, partPath)
    if (problem) return problem
  }
  return null
}

function problemWithPart(part: JsonObject, path: string): OpenaiError | null {
  switch (part['type']) {
    case 'input_text':
    case 'output_text':
      return needs(part, path, ['text'])
    case 'refusal':
      return needs(part, path, ['refusal'])
    case 'input_image':
      return part['file_id'] === undefined ? needs(part, path, ['image_url']) : null
    default:
      return null
  }
}

function problemWithCapsule(item: JsonObject, path: string): OpenaiError | null {
  return needs(item, path, ['encrypted_content']) ?? (isSealed(item['encrypted_content']) ? null : unverified(item))
}

function problemWithReasoning(item: JsonObject, path: string): OpenaiError | null {
  if (!Array.isArray(item['summary'])) return missing(`${path}.summary`)
  const sealed = item['encrypted_content']
  if (sealed === undefined || sealed === null) return problemWithId(item, path, 'rs')
  if (isSealed(sealed)) return problemWithId(item, path, 'rs')
  return unverified(item)
}

function unverified(item: JsonObject): OpenaiError {
  return {
    message: `The encrypted content for item ${item['id']} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
    code: 'invalid_encrypted_content',
  }
}
