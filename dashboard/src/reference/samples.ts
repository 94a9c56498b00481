import { type Language, pythonValue, shellText, typescriptValue } from '../format/code-values.ts'
import type { ApiOperation } from './document.ts'

/** Endpoints that an official client has a method for: applications use that, not bare HTTP. */
const CLIENTS: Readonly<Record<string, { name: 'OpenAI' | 'Anthropic'; python: string; typescript: string }>> = {
  '/v1/chat/completions': { name: 'OpenAI', python: 'chat.completions.create', typescript: 'chat.completions.create' },
  '/v1/responses': { name: 'OpenAI', python: 'responses.create', typescript: 'responses.create' },
  '/v1/embeddings': { name: 'OpenAI', python: 'embeddings.create', typescript: 'embeddings.create' },
  '/v1/messages': { name: 'Anthropic', python: 'messages.create', typescript: 'messages.create' },
  '/v1/messages/count_tokens': {
    name: 'Anthropic',
    python: 'messages.count_tokens',
    typescript: 'messages.countTokens',
  },
}

/** The operation as code that works as pasted once the variable of its key is set. */
export function sample(language: Language, operation: ApiOperation, origin: string): string {
  if (language === 'curl') return curl(operation, origin)
  const client = CLIENTS[operation.path]
  const body = operation.body?.example
  if (client !== undefined && typeof body === 'object' && body !== null) {
    return language === 'Python' ? pythonClient(client, origin, body) : typescriptClient(client, origin, body)
  }
  return language === 'Python' ? python(operation, origin) : typescript(operation, origin)
}

export function keyVariable({ auth }: ApiOperation): string | null {
  return auth === 'none' ? null : auth === 'gateway' ? 'GATEWAY_KEY' : 'ADMIN_KEY'
}

/** The path with the values given, else the examples of the document. */
export function filledPath({ path, parameters }: ApiOperation, values: Readonly<Record<string, string>> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const example = parameters.find((parameter) => parameter.in === 'path' && parameter.name === name)?.example
    // An id of a model may have slashes, which stay.
    return encodeURIComponent(values[name] ?? String(example ?? name)).replaceAll('%2F', '/')
  })
}

function curl(operation: ApiOperation, origin: string): string {
  const { method, body } = operation
  const variable = keyVariable(operation)
  const lines = [
    `curl ${method === 'GET' || (method === 'POST' && body !== null) ? '' : `-X ${method} `}${origin}${filledPath(operation)}`,
    ...(variable === null ? [] : [`  -H "Authorization: Bearer $${variable}"`]),
    ...(body === null ? [] : ["  -H 'Content-Type: application/json'", `  -d ${shellText(json(body.example))}`]),
  ]
  return lines.join(' \\\n')
}

function json(value: unknown): string {
  return JSON.stringify(value ?? {}, null, 2)
}

function python(operation: ApiOperation, origin: string): string {
  const variable = keyVariable(operation)
  return [
    'import os',
    'import requests',
    '',
    `response = requests.${operation.method.toLowerCase()}(`,
    `    "${origin}${filledPath(operation)}",`,
    ...(variable === null ? [] : [`    headers={"Authorization": f"Bearer {os.environ['${variable}']}"},`]),
    ...(operation.body === null ? [] : [`    json=${pythonValue(operation.body.example ?? {}, 4)},`]),
    ')',
    'response.raise_for_status()',
    'print(response.text)',
  ].join('\n')
}

function typescript(operation: ApiOperation, origin: string): string {
  const variable = keyVariable(operation)
  const { method, body } = operation
  const headers = [
    ...(variable === null ? [] : [`    authorization: \`Bearer \${process.env.${variable}}\`,`]),
    ...(body === null ? [] : ["    'content-type': 'application/json',"]),
  ]
  return [
    `const response = await fetch('${origin}${filledPath(operation)}', {`,
    `  method: '${method}',`,
    ...(headers.length === 0 ? [] : ['  headers: {', ...headers, '  },']),
    ...(body === null
      ? []
      : [`  body: JSON.stringify(${typescriptValue(body.example ?? {}).replaceAll('\n', '\n  ')}),`]),
    '})',
    'console.log(response.status, await response.text())',
  ].join('\n')
}

type Client = (typeof CLIENTS)[string]

function pythonClient({ name, python: call }: Client, origin: string, body: object): string {
  const base = name === 'OpenAI' ? `${origin}/v1` : origin
  return [
    'import os',
    `from ${name.toLowerCase()} import ${name}`,
    '',
    `client = ${name}(base_url="${base}", api_key=os.environ["GATEWAY_KEY"])`,
    `answer = client.${call}(`,
    ...Object.entries(body).map(([field, value]) => `    ${field}=${pythonValue(value, 4)},`),
    ')',
    'print(answer)',
  ].join('\n')
}

function typescriptClient({ name, typescript: call }: Client, origin: string, body: object): string {
  const from = name === 'OpenAI' ? 'openai' : '@anthropic-ai/sdk'
  const base = name === 'OpenAI' ? `${origin}/v1` : origin
  return [
    `import ${name} from '${from}'`,
    '',
    `const client = new ${name}({ baseURL: '${base}', apiKey: process.env.GATEWAY_KEY })`,
    `const answer = await client.${call}(${typescriptValue(body)})`,
    'console.log(answer)',
  ].join('\n')
}
