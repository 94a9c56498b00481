import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import { type Answered, type Json, until } from '../../harness.ts'
import { hard, newKey, newWorkspace, usd } from '../../limits/limited.ts'
import { API_KEY } from '../gemini/world.ts'
import { startResponses } from './world.ts'

const PRICE = 'input_per_mtok: "1", output_per_mtok: "5", max_output_tokens: 4096, context_window: 100000'
const ENTRIES = {
  native: 'openai, model: gpt-sim-echo',
  chat: 'spoken, model: gpt-chat-sim-echo',
  claude: 'anthropic, model: claude-sim-echo',
  gemini: 'google, model: gemini-3.5-flash-sim-echo',
}
const entry = (name: keyof typeof ENTRIES) => `{ provider: ${ENTRIES[name]}, retries: 0 }`
const world = await startResponses({
  simulator: { geminiKey: API_KEY },
  config: `
providers:
  openai: { speaks: [responses] }
  spoken: { family: openai, base_url: "\${SIMULATED}", api_key: sk-test-openai-key, speaks: [] }
  google: { family: gemini, base_url: "\${SIMULATED_GEMINI}", api_key: ${API_KEY} }
workspaces:
  default:
    routes:
${(['native', 'chat', 'claude', 'gemini'] as const).map((name) => `      ${name}: { chain: [${entry(name)}] }`).join('\n')}
      refusing: { compaction: refuse, chain: [${entry('claude')}] }
      refusing-mixed: { compaction: refuse, chain: [${entry('claude')}, ${entry('native')}] }
      mixed: { chain: [${entry('claude')}, ${entry('native')}] }
      silent: { chain: [{ provider: spoken, model: gpt-sim-refusal, retries: 0 }, ${entry('gemini')}] }
      filtered: { chain: [{ provider: anthropic, model: claude-sim-refusal, retries: 0 }, ${entry('gemini')}] }
      mute: { chain: [{ provider: spoken, model: gpt-sim-refusal, retries: 0 }] }
registry:
${Object.values(ENTRIES)
  .map((each) => `  - { provider: ${each}, ${PRICE} }`)
  .join('\n')}
`,
})
beforeEach(() => world.simulator.reset())
afterEach(() => until(() => world.simulator.streams.open === 0, 'no stream runs upstream'))
after(() => world.stop())

const user = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] })
const TRIGGER = { type: 'compaction_trigger' }
const TOOLS = [
  { type: 'function', name: 'exec', description: 'x', strict: false, parameters: { type: 'object', properties: {} } },
]
/** A turn of a coding agent in the middle of its task. */
const HISTORY = [
  user('Repair the points at Olten.'),
  { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'exec', arguments: '{}' },
  { type: 'function_call_output', id: 'fco_1', call_id: 'call_1', output: 'four degrees' },
]

function compact(model: string, more: object = {}, headers: Record<string, string> = {}): Promise<Answered> {
  const body = { model, stream: true, store: false, tools: TOOLS, tool_choice: 'auto', parallel_tool_calls: true }
  return world.respond({ ...body, input: [...HISTORY, TRIGGER], ...more }, headers)
}

function eventsOf({ text }: Answered): Json[] {
  return text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []))
}

/** What Codex reads: exactly one item, and a response that was completed. */
function capsuleOf(answer: Answered): Json {
  assert.equal(answer.status, 200, answer.text)
  const events = eventsOf(answer)
  const done = events.filter(({ type }) => type === 'response.output_item.done')
  assert.deepEqual(
    done.map(({ item }) => [item.type, typeof item.encrypted_content]),
    [['compaction', 'string']],
  )
  const last = events.at(-1)
  assert.equal(last.type, 'response.completed')
  assert.deepEqual(last.response.output, [done[0].item])
  assert.ok(last.response.usage.input_tokens > 0)
  return done[0].item
}

describe('compaction', () => {
  for (const name of ['chat', 'claude', 'gemini'] as const) {
    test(`at an entry of ${name} is a summary of its model, sealed, in one row with its cost`, async () => {
      const answer = await compact(name)
      const capsule = capsuleOf(answer)
      assert.match(capsule.encrypted_content, /^swyc1\./)
      const [sent, ...others] = world.upstream()
      assert.deepEqual(others, [])
      const asked = JSON.stringify(sent?.body)
      for (const part of [/Repair the points/, /four degrees/, /write a summary of this conversation/]) {
        assert.match(asked, part)
      }
      assert.doesNotMatch(asked, /compaction_trigger|"auto"/)
      const row = await world.rowOf(answer)
      assert.deepEqual([row['endpoint'], row['kind'], row.status, row['route']], ['responses', 'compaction', 200, name])
      assert.ok(Number(row['completion_tokens']) > 0)
      assert.equal(row['usage_source'], 'provider')
      const events = eventsOf(answer)
      assert.equal(usd(BigInt(String(row['cost_picodollars']))), events.at(-1).x_gateway.cost_usd)
      assert.doesNotMatch(JSON.stringify(await world.rows()), /Repair the points|swyc1/, 'no content in a row')
    })

    test(`and the next turn goes to any entry: from ${name}`, async () => {
      const capsule = capsuleOf(await compact(name))
      for (const next of ['native', 'chat', 'claude', 'gemini'] as const) {
        const body = { model: next, store: false, input: [user('Repair the points at Olten.'), capsule, user('go on')] }
        for (const stream of [false, true]) {
          const answer = await world.respond({ ...body, stream, tools: TOOLS })
          assert.equal(answer.status, 200, answer.text)
          const sent = JSON.stringify(world.sent())
          assert.match(sent, /replaced by this summary of it/)
          assert.doesNotMatch(sent, /swyc1/)
        }
        // A second compaction holds the first.
        capsuleOf(await compact(next, { input: [...body.input, TRIGGER] }))
      }
    })
  }

  test('is answered whole where no stream was asked for', async () => {
    const { status, json } = await compact('claude', { stream: false })
    assert.deepEqual(
      [status, json.status, json.output.length, json.output[0].type],
      [200, 'completed', 1, 'compaction'],
    )
  })

  test('of a large conversation is one item, too', async () => {
    const long = 'word '.repeat(60_000)
    for (const stream of [false, true]) {
      const answer = await compact('claude', { stream, input: [user(long), ...HISTORY, TRIGGER] })
      const output = stream ? [capsuleOf(answer)] : answer.json.output
      assert.deepEqual([output.length, output[0].type], [1, 'compaction'])
      const [capsule] = output
      const next = await world.respond({ model: 'native', input: [user(long), capsule, user('go on')] })
      assert.equal(next.status, 200, next.text)
      assert.match(JSON.stringify(world.sent()), /replaced by this summary of it/)
    }
  })

  test('at an entry that speaks the format passes as it is, and so does what the vendor made', async () => {
    const answer = await compact('native')
    const capsule = capsuleOf(answer)
    assert.deepEqual([world.sent().input.at(-1), world.sent().tools], [TRIGGER, TOOLS])
    assert.doesNotMatch(capsule.encrypted_content, /^swyc1/)
    assert.equal((await world.rowOf(answer))['kind'], 'compaction')
    const note = { ...user('go on'), internal_chat_message_metadata_passthrough: { turn_id: 't', create_time: 1 } }
    const input = [user('Repair the points.'), capsule, note]
    const next = await world.respond({ model: 'native', input })
    assert.equal(next.status, 200, next.text)
    assert.deepEqual(world.sent().input, input)
  })

  test("a vendor's is served by entries that speak the format only, and refused in words where there is none", async () => {
    const input = [capsuleOf(await compact('native')), user('go on')]
    world.simulator.reset()
    for (const model of ['chat', 'claude', 'gemini']) {
      const answer = await world.respond({ model, input })
      assert.deepEqual([answer.status, answer.json.error.code], [400, 'unsupported_parameter'])
      assert.match(answer.json.error.message, /input\[0\]\.encrypted_content: .*another vendor.*start a new session/)
      assert.equal(Number((await world.rowOf(answer))['cost_picodollars']), 0)
    }
    assert.deepEqual(world.upstream(), [], 'nobody was asked')
    const mixed = await world.respond({ model: 'mixed', input })
    assert.equal(mixed.status, 200, mixed.text)
    assert.equal(mixed.headers.get('x-gateway-provider'), 'openai')
  })

  test('an entry that writes no summary is followed by the next, and by an error at the end', async () => {
    for (const stream of [false, true]) {
      for (const model of ['silent', 'filtered']) {
        const answer = await compact(model, { stream })
        assert.equal(answer.status, 200, answer.text)
        assert.match(answer.text, /swyc1/)
      }
      const failed = await compact('mute', { stream })
      assert.equal(failed.status, 502, failed.text)
      assert.doesNotMatch(failed.text, /"type":"compaction"/)
    }
  })
})

test('a route may leave it to entries that speak the format', async () => {
  const answer = await compact('refusing')
  assert.equal(answer.status, 400, answer.text)
  assert.match(answer.json.error.message, /^input: this route makes no summaries \(compaction: refuse\)/)
  assert.deepEqual(world.upstream(), [])
  const mixed = await compact('refusing-mixed')
  capsuleOf(mixed)
  assert.equal(mixed.headers.get('x-gateway-provider'), 'openai')
  // A summary that was made elsewhere is still read.
  const next = await world.respond({ model: 'refusing', input: [capsuleOf(await compact('claude')), user('go on')] })
  assert.equal(next.status, 200, next.text)
})

describe('bad input', () => {
  test('triggers twice or not at the end, and capsules that were changed, cost nothing', async () => {
    const { encrypted_content: sealed } = capsuleOf(await compact('claude'))
    world.simulator.reset()
    const capsule = (encrypted_content: string) => ({ type: 'compaction', encrypted_content })
    for (const model of ['native', 'chat', 'claude', 'gemini', 'mixed']) {
      for (const [input, place] of [
        [[...HISTORY, TRIGGER, TRIGGER], 'input[3]'],
        [[TRIGGER, ...HISTORY], 'input[0]'],
        [[capsule(sealed.slice(0, -8)), user('x')], 'input[0].encrypted_content'],
        [[user('x'), capsule(`swyc1.${'A'.repeat(200)}`)], 'input[1].encrypted_content'],
      ] as const) {
        const answer = await world.respond({ model, input })
        assert.deepEqual([answer.status, answer.json.error.code], [400, 'invalid_request'], answer.text)
        assert.ok(answer.json.error.message.startsWith(`${place}: `), answer.json.error.message)
      }
    }
    assert.deepEqual(world.upstream(), [], 'nobody was asked')
  })

  test('a capsule of one workspace is refused in another', async () => {
    await newWorkspace(world, 'other', {})
    const theirs = await newKey(world, null, 'other')
    const capsule = capsuleOf(await compact('claude'))
    const body = { model: 'anthropic/claude-sim-echo', input: [capsule, user('go on')] }
    assert.equal((await world.respond(body)).status, 200)
    for (const model of ['anthropic/claude-sim-echo', 'openai/gpt-sim-echo']) {
      const answer = await world.respond({ ...body, model }, theirs.headers)
      assert.equal(answer.status, 400, answer.text)
      assert.match(answer.json.error.message, /^input\[0\]\.encrypted_content: .*another workspace/)
    }
  })
})

test('a budget holds and refuses as for any call', async () => {
  const poor = await newKey(world, hard(1_000n))
  const refused = await compact('claude', { stream: false }, poor.headers)
  assert.equal(refused.status, 402, refused.text)
  const rich = await newKey(world, hard(1_000_000_000_000n))
  const answer = await compact('claude', {}, rich.headers)
  const capsule = capsuleOf(answer)
  const { hold_picodollars: held, cost_picodollars: cost } = await world.rowOf(answer)
  assert.ok(BigInt(String(held)) >= BigInt(String(cost)) && BigInt(String(cost)) > 0n)
  const next = await world.respond(
    { model: 'claude', input: [capsule, user('go on')], max_output_tokens: 50 },
    rich.headers,
  )
  assert.equal(next.status, 200, next.text)
  const { hold_picodollars: after } = await world.rowOf(next)
  assert.ok(BigInt(String(after)) < 100_000n * 1_000_000n, 'not the whole window')
})
