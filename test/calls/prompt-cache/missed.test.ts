import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { type Harness, type Json, KEY, startHarness } from '../../harness.ts'
import { managing } from '../../management/manage.ts'

const harness: Harness = await startHarness({
  config: `
workspaces:
  default:
    streaming: true
    routes:
      fast: { prompt_cache: auto, chain: [{ provider: anthropic, model: claude-sonnet-4-5 }] }
      plain: { chain: [{ provider: anthropic, model: claude-sonnet-4-5 }] }
`,
})
const { simulator } = harness
const manage = managing(() => harness)
beforeEach(() => {
  simulator.reset()
  simulator.cachePrompts()
})
after(() => harness.stop())

const SYSTEM = 'Trains to the north leave from track seven. '.repeat(300)
/** More than a serving thread reads itself. */
const LARGE = SYSTEM.repeat(60)
const tool = (name: string, description: string) => ({
  type: 'function',
  function: { name, description, parameters: { type: 'object', properties: {} } },
})
const TOOLS = [tool('read_file', 'Reads a file.'), tool('run_tests', 'Runs the tests.')]

interface Asked {
  model?: string
  session?: string | null
  tools?: Json[]
  system?: string
  turns?: number
  stream?: boolean
}

async function ask({ model = 'fast', session = 's1', tools = TOOLS, system = SYSTEM, turns = 1, ...more }: Asked) {
  const said = Array.from({ length: turns * 2 - 1 }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: `Turn ${at}`,
  }))
  const answer = await fetch(`${harness.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      ...(session !== null && { 'x-gateway-session': session }),
    },
    body: JSON.stringify({ model, tools, messages: [{ role: 'system', content: system }, ...said], ...more }),
  })
  assert.equal(answer.status, 200, await answer.text())
  const id = answer.headers.get('x-gateway-request-id')
  const row = (await harness.rows()).find((each) => each.id === id) ?? assert.fail()
  return { id, miss: row['cache_miss'], cached: Number(row['cached_tokens']) }
}

describe('a call of a session that reads little from the cache', () => {
  test('names the tool that changed, also in explain', async () => {
    assert.equal((await ask({})).miss, null)
    const second = await ask({ turns: 2 })
    assert.equal(second.miss, null)
    assert.ok(second.cached >= 1_024)
    const planted = [TOOLS[0], tool('run_tests', 'Runs the tests, as of 10:41.')]
    const third = await ask({ turns: 3, tools: planted as Json[] })
    assert.deepEqual([third.cached, third.miss], [0, 'tool 2 of 2 (run_tests) has changed since the call before'])
    const explained = await manage('GET', `/requests/${third.id}/explain`)
    assert.ok(
      explained.json.steps.includes(
        "Little of the prompt came from the provider's prompt cache: tool 2 of 2 (run_tests) has changed since the call before.",
      ),
      JSON.stringify(explained.json.steps),
    )
    // What is compared is always the call before.
    assert.equal((await ask({ turns: 4, tools: planted as Json[] })).miss, null)
  })

  test('names the block of the system prompt, in a stream, too', async () => {
    await ask({ session: 's2', stream: true })
    const { miss } = await ask({ session: 's2', turns: 2, system: `Monday. ${SYSTEM}`, stream: true })
    assert.equal(miss, 'block 1 of 1 of the system prompt has changed since the call before')
  })

  test('of a large body, too', async () => {
    await ask({ session: 's3', system: LARGE })
    const { miss } = await ask({ session: 's3', turns: 2, system: LARGE, tools: TOOLS.slice(1) })
    assert.equal(miss, 'tool 1 of 2 (read_file) was removed since the call before')
  })

  test('where nothing is marked, says so', async () => {
    await ask({ session: 's4', model: 'plain' })
    const { miss } = await ask({ session: 's4', model: 'plain', turns: 2 })
    assert.match(String(miss), /^nothing in the request is marked for the cache/)
  })

  test('is compared with its own session, and without one with nothing', async () => {
    await ask({ session: 's5' })
    simulator.cachePrompts()
    assert.equal((await ask({ session: 's6', tools: [] })).miss, null)
    assert.equal((await ask({ session: null, tools: TOOLS.slice(1) })).miss, null)
    const { miss } = await ask({ session: 's5', tools: TOOLS.toReversed() })
    assert.equal(miss, 'tool 1 of 2 (run_tests) has moved since the call before')
  })
})
