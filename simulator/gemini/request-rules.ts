import { isObject, type JsonObject, objectOrEmpty, objectsIn } from '../json.ts'
import { isSigning } from './models.ts'

/** `model` and `stream` come from the path. */
const FIELDS = ['model', 'stream', 'contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig']
const MORE_FIELDS = ['safetySettings', 'serviceTier', 'cachedContent']
const CONFIG_FIELDS = [
  'temperature',
  'topP',
  'topK',
  'seed',
  'maxOutputTokens',
  'candidateCount',
  'stopSequences',
  'presencePenalty',
  'frequencyPenalty',
  'responseMimeType',
  'responseJsonSchema',
  'responseSchema',
  'thinkingConfig',
  'responseModalities',
  'imageConfig',
]
const DATA = ['text', 'inlineData', 'fileData', 'functionCall', 'functionResponse']
const DUMMY_SIGNATURE = 'skip_thought_signature_validator'

/** What the vendor says against a request, or null. */
export function problemWithRequest(body: JsonObject): string | null {
  return (
    unknownName(body, [...FIELDS, ...MORE_FIELDS], '') ??
    unknownName(objectOrEmpty(body['generationConfig']), CONFIG_FIELDS, " at 'generation_config'") ??
    problemWithConfig(body) ??
    problemWithContents(body) ??
    problemWithTools(body)
  )
}

function unknownName(object: JsonObject, known: readonly string[], where: string): string | null {
  const name = Object.keys(object).find((each) => !known.includes(each))
  return name === undefined ? null : `Invalid JSON payload received. Unknown name "${name}"${where}: Cannot find field.`
}

function problemWithConfig(body: JsonObject): string | null {
  const config = objectOrEmpty(body['generationConfig'])
  const { maxOutputTokens: most, candidateCount: count, stopSequences: stops } = config
  const { thinkingLevel: level, thinkingBudget: budget } = objectOrEmpty(config['thinkingConfig'])
  if (most !== undefined && !(Number.isInteger(most) && Number(most) > 0)) return 'max_output_tokens must be positive'
  if (count !== undefined && !(Number(count) >= 1 && Number(count) <= 8)) return 'candidate_count must be from 1 to 8'
  if (Array.isArray(stops) && stops.length > 5) return 'stop_sequences: at most 5 are allowed'
  if (level !== undefined && budget !== undefined) return 'thinking_budget and thinking_level cannot both be set'
  if (level !== undefined && !isSigning(String(body['model']))) return 'Thinking level is not supported for this model.'
  return null
}

function problemWithContents(body: JsonObject): string | null {
  const contents = objectsIn(body['contents'])
  if (contents.length === 0) return '* GenerateContentRequest.contents: contents is not specified'
  for (const [at, content] of contents.entries()) {
    const { role, parts } = content
    if (role !== 'user' && role !== 'model') return 'Please use a valid role: user, model.'
    const listed = objectsIn(parts)
    if (listed.length === 0) return `* GenerateContentRequest.contents[${at}].parts: contents.parts must not be empty.`
    if (listed.some((part) => DATA.filter((name) => part[name] !== undefined).length !== 1)) {
      return `* GenerateContentRequest.contents[${at}].parts: required oneof field 'data' must have one initialized field`
    }
    const problem =
      role === 'model'
        ? problemWithCalls(listed, at, String(body['model']))
        : problemWithResults(listed, contents[at - 1])
    if (problem !== null) return problem
  }
  return null
}

/** The first call of a step is signed, by this very model or by the dummy. */
function problemWithCalls(parts: JsonObject[], at: number, model: string): string | null {
  const calls = parts.filter((part) => part['functionCall'] !== undefined)
  const [first] = calls
  if (first !== undefined && isSigning(model) && first['thoughtSignature'] === undefined) {
    return `Function call is missing a thought_signature in functionCall parts (position ${at}).`
  }
  const bad = parts.some(({ thoughtSignature: given }) => given !== undefined && !isAccepted(String(given), model))
  if (bad) return 'Thought signature is not valid.'
  return calls.every((part) => isObject(objectOrEmpty(part['functionCall'])['args'])) ? null : 'args must be an object'
}

function isAccepted(signature: string, model: string): boolean {
  if (signature === DUMMY_SIGNATURE) return true
  return Buffer.from(signature, 'base64').toString().startsWith(`signed by ${model} `)
}

function problemWithResults(parts: JsonObject[], before: JsonObject | undefined): string | null {
  const names = (list: JsonObject[], field: string) =>
    list.flatMap((part) => (part[field] === undefined ? [] : [String(objectOrEmpty(part[field])['name'])]))
  const called = names(objectsIn(before?.['parts']), 'functionCall')
  const answered = names(parts, 'functionResponse')
  if (called.join() === answered.join()) return null
  return 'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.'
}

function problemWithTools(body: JsonObject): string | null {
  const declared = objectsIn(body['tools']).flatMap((tool) => objectsIn(tool['functionDeclarations']))
  const names = declared.map(({ name }) => String(name))
  const wrong = names.find((name) => !/^[A-Za-z_][\w.:-]{0,63}$/.test(name))
  if (wrong !== undefined) return `Invalid function name ${wrong}.`
  const both = declared.find((tool) => tool['parameters'] !== undefined && tool['parametersJsonSchema'] !== undefined)
  if (both !== undefined) return 'parameters and parameters_json_schema are mutually exclusive'
  const { allowedFunctionNames: allowed } = objectOrEmpty(objectOrEmpty(body['toolConfig'])['functionCallingConfig'])
  const missing = Array.isArray(allowed) ? allowed.find((name) => !names.includes(String(name))) : undefined
  return missing === undefined ? null : `allowed_function_names: ${missing} is not declared`
}
