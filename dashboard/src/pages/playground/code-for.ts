import { type Language, pythonValue, shellText, typescriptValue } from '../../format/code-values.ts'

/** The same call from a program: works as pasted once GATEWAY_KEY is set. */
export function codeFor(language: Language, url: string, body: Record<string, unknown>): string {
  if (language === 'curl') return curl(url, body)
  return language === 'Python' ? python(url, body) : typescript(url, body)
}

function curl(url: string, body: Record<string, unknown>): string {
  return [
    `curl ${isStream(body) ? '-N ' : ''}${url}/v1/chat/completions \\`,
    '  -H "Authorization: Bearer $GATEWAY_KEY" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d ${shellText(JSON.stringify(body, null, 2))}`,
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

function typescript(url: string, body: Record<string, unknown>): string {
  return [
    "import OpenAI from 'openai'",
    '',
    `const client = new OpenAI({ baseURL: '${url}/v1', apiKey: process.env.GATEWAY_KEY })`,
    `const ${isStream(body) ? 'stream' : 'completion'} = await client.chat.completions.create(${typescriptValue(body)})`,
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
