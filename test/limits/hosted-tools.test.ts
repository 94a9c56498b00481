import assert from 'node:assert/strict'
import { after, afterEach, describe, test } from 'node:test'
import { LARGE_BYTES } from '../../src/bodies/bodies.ts'
import type { Limits } from '../../src/domain/limits.ts'
import { NATIVE, startResponses } from '../calls/responses/world.ts'
import { type Answered, type Json, until } from '../harness.ts'
import { fc } from '../property.ts'
import { assertVerified, newKey } from './limited.ts'

/** One dollar a million tokens of a prompt, two of an answer; a search costs a cent. */
const PRICES = 'input_per_mtok: "1", output_per_mtok: "2", max_output_tokens: 1000, context_window: 10000'
const SEARCH = '{ name: web_search, unit: call, usd_per_1000: "10" }'
const FILES = '{ name: file_search, unit: call, usd_per_1000: "2.5" }'
const CODE = '{ name: code_interpreter, unit: container, usd_per_1000: "30" }'
const MODELS = ['openai, model: gpt', 'anthropic, model: claude'].flatMap((family) =>
  [0, 1, 2, 3, 8].map(
    (wanted) =>
      `  - { provider: ${family}-sim-searches-${wanted}-900, ${PRICES}, unit_prices: [${SEARCH}, ${FILES}, ${CODE}] }`,
  ),
)
const world = await startResponses({
  config: `${NATIVE}
registry:
${MODELS.join('\n')}
  - { provider: openai, model: gpt-sim-echo, ${PRICES} }
`,
})
afterEach(async () => {
  await until(() => world.simulator.streams.open === 0, 'no stream runs upstream')
  await assertVerified(world)
})
after(() => world.stop())

const WINDOW = 10_000n
const PROMPT = 1_000_000n
const ANSWER = 2_000_000n
const CENT = 10_000_000_000n
const hard = (usd: string, more: Partial<NonNullable<Limits['budget']>> = {}): Limits => ({
  budget: { usd, per: 'total', mode: 'hard', ...more },
})

/** As Codex sends it: functions, a tool that it runs itself, and the vendor's search, always offered. */
const codex = (model: string, more: object = {}) => ({
  model,
  instructions: 'You are a coding agent.',
  input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }],
  tools: [
    {
      type: 'function',
      name: 'exec_command',
      description: '',
      strict: false,
      parameters: { type: 'object', properties: {} },
    },
    { type: 'tool_search', execution: 'client' },
    { type: 'web_search' },
  ],
  tool_choice: 'auto',
  parallel_tool_calls: true,
  reasoning: { effort: 'medium', summary: 'auto' },
  store: false,
  include: ['reasoning.encrypted_content'],
  prompt_cache_key: 'k',
  max_output_tokens: 500,
  ...more,
})

/** As Claude Code asks for a search, in a call of its own. */
const claudeCode = (model: string, more: object = {}) => ({
  model,
  max_tokens: 500,
  system: 'You are an assistant for performing a web search tool use',
  messages: [{ role: 'user', content: 'Perform a web search for the query: trains' }],
  tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 8, ...more }],
})

async function messages(body: unknown, headers: Record<string, string>): Promise<Answered> {
  const response = await fetch(`${world.url}/v1/messages`, {
    ...{ method: 'POST', body: JSON.stringify(body) },
    headers: { 'content-type': 'application/json', ...headers },
  })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text.startsWith('{') ? JSON.parse(text) : null,
  }
}

const row = async (answer: Answered) => {
  assert.equal(answer.status, 200, answer.text)
  const found: Json = await world.rowOf(answer)
  return {
    hold: BigInt(found['hold_picodollars']),
    cost: BigInt(found['cost_picodollars']),
    uses: JSON.parse(found['uses'] ?? 'null'),
    adjusted: (answer.headers.get('x-gateway-adjusted') ?? '').split(', ').filter((each) => /tool/.test(each)),
  }
}

describe('Codex, which always offers a search', () => {
  test('searches at most twice under a hard budget, held with a pass over the window for each', async () => {
    const { headers } = await newKey(world, hard('5'))
    const { hold, cost, uses, adjusted } = await row(await world.respond(codex('gpt-sim-searches-8-900'), headers))
    assert.equal(world.sent().max_tool_calls, 2)
    assert.deepEqual([uses, adjusted], [{ web_search: 2 }, ['max_tool_calls=2;pinned']])
    // A call may have three queries, each with a fee.
    assert.equal(hold, 2n * 3n * CENT + 3n * WINDOW * PROMPT + 500n * ANSWER)
    assert.ok(cost > 2n * CENT && cost <= hold, `${cost} ${hold}`)
  })

  test('without a hard budget the request passes unchanged', async () => {
    const body = codex('gpt-sim-searches-3-900')
    const { uses, cost, adjusted } = await row(await world.respond(body))
    assert.deepEqual(world.sent(), body)
    assert.deepEqual([uses, adjusted], [{ web_search: 3 }, []])
    assert.ok(cost > 3n * CENT)
  })

  test('a smaller budget allows fewer searches, a tiny one none: the call is served all the same', async () => {
    const cases: [usd: string, sent: number | undefined, adjusted: string][] = [
      ['0.092', 2, 'max_tool_calls=2;pinned'],
      // One search: 0.03 + 0.02 + 0.001.
      ['0.052', 1, 'max_tool_calls=1;pinned'],
      ['0.02', undefined, 'tools.web_search;left_out'],
    ]
    for (const [usd, sent, adjusted] of cases) {
      const { headers } = await newKey(world, hard(usd))
      const found = await row(await world.respond(codex('gpt-sim-searches-8-900'), headers))
      assert.equal(world.sent().max_tool_calls, sent, usd)
      assert.deepEqual(found.adjusted, [adjusted])
      assert.equal(world.sent().tools.length, sent === undefined ? 2 : 3)
    }
  })

  test('a large request is asked for again, too', async () => {
    const { headers } = await newKey(world, hard('0.052'))
    const body = codex('gpt-sim-searches-1-900', { metadata: { padding: 'x' } })
    const text = JSON.stringify(body).padEnd(LARGE_BYTES + 1)
    const { uses, adjusted } = await row(await world.respond(text, headers))
    assert.deepEqual([uses, adjusted], [{ web_search: 1 }, ['max_tool_calls=1;pinned']])
  })

  test('in a stream', async () => {
    const { headers } = await newKey(world, hard('5'))
    const { uses, cost, hold } = await row(
      await world.respond(codex('gpt-sim-searches-2-900', { stream: true }), headers),
    )
    assert.deepEqual(uses, { web_search: 2 })
    assert.ok(cost <= hold)
  })

  test('a model without a price for searches gets none', async () => {
    const { headers } = await newKey(world, hard('5'))
    const { adjusted } = await row(await world.respond(codex('gpt-sim-echo'), headers))
    assert.deepEqual(adjusted, ['tools.web_search;left_out'])
  })
})

describe("a caller's own number", () => {
  const body = codex('gpt-sim-searches-3-900', { max_tool_calls: 3 })

  test('is held for, and the refusal names the number that fits', async () => {
    const rich = await newKey(world, hard('5'))
    const { hold, adjusted } = await row(await world.respond(body, rich.headers))
    assert.equal(hold, 3n * 3n * CENT + 4n * WINDOW * PROMPT + 500n * ANSWER)
    assert.deepEqual(adjusted, [])
    const poor = await newKey(world, hard('0.1'))
    const { status, json } = await world.respond(body, poor.headers)
    assert.deepEqual([status, json.error.code, json.error.details.tool_calls_that_fit], [402, 'budget_exceeded', 2])
    assert.match(json.error.message, /it fits with 2 calls of them \(max_tool_calls, max_uses\) or fewer/)
  })

  test('is lowered where the budget fits calls', async () => {
    const { headers } = await newKey(world, hard('0.1', { when_tight: 'fit' }))
    const { adjusted } = await row(await world.respond(body, headers))
    assert.deepEqual(adjusted, ['max_tool_calls=2;fitted_to_budget'])
  })
})

describe('Claude Code, whose search may run eight times', () => {
  test('is held for nine passes, each with a full answer', async () => {
    const { headers } = await newKey(world, hard('5'))
    const { hold, cost, uses } = await row(await messages(claudeCode('claude-sim-searches-8-900'), headers))
    assert.deepEqual(uses, { web_search: 8 })
    assert.equal(hold, 8n * CENT + 9n * WINDOW * PROMPT + 9n * 500n * ANSWER)
    assert.ok(cost <= hold)
  })

  test('without a number the gateway sets one', async () => {
    const { headers } = await newKey(world, hard('5'))
    const body = claudeCode('claude-sim-searches-8-900', { max_uses: undefined })
    const { uses, adjusted } = await row(await messages(body, headers))
    assert.deepEqual([uses, adjusted], [{ web_search: 2 }, ['tools.web_search_20250305.max_uses=2;pinned']])
  })
})

describe('other tools', () => {
  const send = async (tools: object[], more: object = {}) => {
    const { headers } = await newKey(world, hard('5'))
    return world.respond(codex('gpt-sim-searches-0-900', { tools, ...more }), headers)
  }

  test('a search in files is held by its results, where that is less than the window', async () => {
    const answer = await send([{ type: 'file_search', vector_store_ids: ['vs_1'], max_num_results: 1 }])
    const { hold } = await row(answer)
    assert.ok(hold < 2n * 2_500_000_000n + 3n * WINDOW * PROMPT + 500n * ANSWER, String(hold))
    const { adjusted } = await row(await send([{ type: 'file_search', vector_store_ids: ['vs_1'] }]))
    assert.deepEqual(adjusted, ['tools.file_search.max_num_results=20;pinned', 'max_tool_calls=2;pinned'])
  })

  test('code runs in the smallest container', async () => {
    const { adjusted } = await row(await send([{ type: 'code_interpreter', container: { type: 'auto' } }]))
    const pins = ['tools.code_interpreter.container.memory_limit=1g;pinned', 'max_tool_calls=2;pinned']
    assert.deepEqual(adjusted, pins)
    const large = [{ type: 'code_interpreter', container: { type: 'auto', memory_limit: '64g' } }]
    assert.deepEqual((await row(await send(large))).adjusted, ['tools.code_interpreter;left_out'])
  })

  test('what nothing bounds is left out when it is offered, and refused when it is forced', async () => {
    const tools = [{ type: 'image_generation' }]
    assert.deepEqual((await row(await send(tools))).adjusted, ['tools.image_generation;left_out'])
    assert.equal(world.sent().tools, undefined)
    for (const tool_choice of ['required', { type: 'image_generation' }]) {
      const { status, json } = await send(tools, { tool_choice })
      assert.equal(status, 400)
      assert.match(
        json.error.message,
        /tools\[0\]\.type: a hard budget applies, and nothing bounds what this tool costs/,
      )
    }
  })

  test('a forced search that no budget covers is refused with the figures', async () => {
    const { headers } = await newKey(world, hard('0.02'))
    const { status, json } = await world.respond(
      codex('gpt-sim-searches-1-900', { tool_choice: { type: 'web_search' } }),
      headers,
    )
    assert.deepEqual([status, json.error.code], [402, 'budget_exceeded'])
  })
})

test('property: no call with tools costs more than it held, or more than its budget', async () => {
  const call = fc.record({
    wanted: fc.constantFrom(0, 1, 2, 3, 8),
    named: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
    output: fc.integer({ min: 16, max: 1000 }),
    cents: fc.integer({ min: 1, max: 60 }),
    isClaude: fc.boolean(),
    stream: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(call, async ({ wanted, named, output, cents, isClaude, stream }) => {
      const { headers } = await newKey(world, hard((cents / 100).toFixed(2)))
      const answer = isClaude
        ? await messages(
            { ...claudeCode(`claude-sim-searches-${wanted}-900`, { max_uses: named }), max_tokens: output, stream },
            headers,
          )
        : await world.respond(
            codex(`gpt-sim-searches-${wanted}-900`, { max_tool_calls: named, max_output_tokens: output, stream }),
            headers,
          )
      if (answer.status === 402) return
      const { cost, hold } = await row(answer)
      assert.ok(cost <= hold, `${cost} of ${hold}`)
      assert.ok(hold <= BigInt(cents) * CENT)
    }),
    { numRuns: 40 },
  )
})
