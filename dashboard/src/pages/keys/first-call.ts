import { shellText } from '../../format/code-values.ts'

/** What a key may first be tried with: a name it is allowed to use, an alias before a model's id. */
export function firstModel(
  allowed: readonly string[] | null,
  catalog: readonly { id: string; kind: 'alias' | 'direct' }[],
): string {
  const isAllowed = (id: string) =>
    allowed === null ||
    allowed.some((pattern) => (pattern.endsWith('*') ? id.startsWith(pattern.slice(0, -1)) : id === pattern))
  const usable = catalog.filter(({ id }) => isAllowed(id))
  const chosen = usable.find(({ kind }) => kind === 'alias') ?? usable[0]
  return chosen?.id ?? allowed?.find((name) => !name.endsWith('*')) ?? 'MODEL'
}

const MESSAGES = [{ role: 'user', content: 'Say hello.' }]

/** Calls that work as pasted. */
export function firstCall(origin: string, key: string, model: string): string {
  return [
    `curl ${origin}/v1/chat/completions \\`,
    `  -H 'Authorization: Bearer ${key}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d ${shellText(JSON.stringify({ model, messages: MESSAGES }))}`,
  ].join('\n')
}

export function pythonCall(origin: string, key: string, model: string): string {
  return [
    'from openai import OpenAI',
    '',
    `client = OpenAI(base_url="${origin}/v1", api_key="${key}")`,
    'completion = client.chat.completions.create(',
    `    model=${JSON.stringify(model)},`,
    `    messages=${JSON.stringify(MESSAGES)},`,
    ')',
    'print(completion.choices[0].message.content)',
  ].join('\n')
}

export function javascriptCall(origin: string, key: string, model: string): string {
  return [
    "import OpenAI from 'openai'",
    '',
    `const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: '${key}' })`,
    'const completion = await client.chat.completions.create({',
    `  model: ${JSON.stringify(model)},`,
    `  messages: ${JSON.stringify(MESSAGES)},`,
    '})',
    'console.log(completion.choices[0].message.content)',
  ].join('\n')
}
