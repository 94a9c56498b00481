import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../bench.ts'
import type { Proof } from '../proof.ts'
import { until } from '../target.ts'

const SAID = 'the-prompt-that-must-stay-nowhere'
const NAMED = 'the-tool-argument-that-must-stay-nowhere'

/** Calls that succeed, fail and are refused; then every byte that the gateway has written is searched. */
export const secrets: Proof = {
  id: 'secrets',
  name: 'secrets and prompts',
  promise: 'A secret or a prompt never reaches a log.',
  refutedBy: 'A key, a prompt or an answer in what the gateway has printed, or in a file of its data folder.',
  at: 'its files and its output are not read',
  async run(bench) {
    const { id, value } = await bench.newKey()
    const texts = await say(bench, value)
    await bench.ask(`${value}x`, { model: 'plain', messages: [{ role: 'user', content: SAID }] })
    await until(async () => (await bench.rows(id)).length >= 5, 'the calls are in the log')
    await bench.gateway.stop()
    const wanted = [...bench.secrets, SAID, NAMED, ...texts]
    const files = globSync('data/**/*', { cwd: bench.folder, withFileTypes: true }).filter((entry) => entry.isFile())
    const problems: string[] = []
    let bytes = 0
    const search = (name: string, content: string) => {
      bytes += content.length
      for (const text of wanted) if (content.includes(text)) problems.push(`${name} has ${text.slice(0, 12)}…`)
    }
    search('the output', bench.gateway.written())
    for (const { parentPath, name } of files) search(name, readFileSync(join(parentPath, name), 'latin1'))
    return { figures: { 'texts looked for': wanted.length, files: files.length, 'bytes searched': bytes }, problems }
  },
}

/** The answers, as far as they are long enough to be found. */
async function say(bench: Bench, key: string): Promise<string[]> {
  const messages = [{ role: 'user', content: SAID }]
  const tool = { type: 'function', function: { name: 'look', parameters: { type: 'object', description: NAMED } } }
  const requests: object[] = [
    { model: 'plain', messages },
    { model: 'plain', messages, stream: true },
    { model: 'claude', messages, tools: [tool] },
    { model: 'plain', messages, temperature: SAID },
    { model: 'openai/gpt-sim-400', messages },
    { model: 'plain', messages: SAID },
    { model: 'plain', messages: [{ role: SAID, content: 'x' }] },
    { model: 'plain', messages, response_format: { type: SAID } },
    { model: 'claude', messages, tools: [tool], tool_choice: { type: 'function', function: { name: SAID } } },
  ]
  const said: string[] = []
  for (const request of requests) {
    const { status, text } = await bench.ask(key, request)
    if (status !== 200 || text.startsWith('data:')) continue
    const content = JSON.parse(text).choices?.[0]?.message?.content
    if (typeof content === 'string' && content.length >= 20) said.push(content)
  }
  return said
}
