export const LANGUAGES = ['curl', 'Python', 'TypeScript'] as const
export type Language = (typeof LANGUAGES)[number]

/** The same call from a program: works as pasted once GATEWAY_KEY is set. */
export function codeFor(language: Language, url: string, body: Record<string, unknown>): string {
  if (language === 'curl') return curl(url, body)
  return language === 'Python' ? python(url, body) : typescript(url, body)
}

function curl(url: string, body: Record<string, unknown>): string {
  // Inside single quotes the shell reads everything literally but the quote itself.
  const json = JSON.stringify(body, null, 2).replaceAll("'", "'\\''")
  return [
    `curl ${isStream(body) ? '-N ' : ''}${url}/v1/chat/completions \\`,
    '  -H "Authorization: Bearer $GATEWAY_KEY" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d '${json}'`,
  ].join('\n')
}

function python(url: string, body: Record<string, unknown>): string {
  const fields = Object.entries(body).map(([name, value]) => `    ${name}=${pythonValue(value, 4)},`)
  return [
    'import os',
    'from openai import OpenAI',
    '',
    `client = OpenAI(base_url="${url}/v1", api_key=os.environ["GATEWAY_KEY"])`,
    `${isStream(body) ? 'stream' : 'completion'} = client.chat.completions.create(`,
    ...fields,
    ')',
    ...(isStream(body) ? PYTHON_STREAM : ['print(completion.choices[0].message.content)']),
  ].join('\n')
}

function pythonValue(value: unknown, indent: number): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const inner = ' '.repeat(indent + 4)
  const parts = Array.isArray(value)
    ? value.map((item) => pythonValue(item, indent + 4))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${pythonValue(item, indent + 4)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  if (parts.length === 0) return `${open}${close}`
  return `${open}\n${parts.map((part) => `${inner}${part},`).join('\n')}\n${' '.repeat(indent)}${close}`
}

function typescript(url: string, body: Record<string, unknown>): string {
  const fields = JSON.stringify(body, null, 2).replace(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
  return [
    "import OpenAI from 'openai'",
    '',
    `const client = new OpenAI({ baseURL: '${url}/v1', apiKey: process.env.GATEWAY_KEY })`,
    `const ${isStream(body) ? 'stream' : 'completion'} = await client.chat.completions.create(${fields})`,
    isStream(body) ? TYPESCRIPT_STREAM : 'console.log(completion.choices[0].message.content)',
  ].join('\n')
}

function isStream({ stream }: Record<string, unknown>): boolean {
  return stream === true
}

/** The last chunk has the usage and no choice. */
const PYTHON_STREAM = [
  'for chunk in stream:',
  '    if chunk.choices:',
  '        print(chunk.choices[0].delta.content or "", end="", flush=True)',
]
const TYPESCRIPT_STREAM =
  "for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '')"
