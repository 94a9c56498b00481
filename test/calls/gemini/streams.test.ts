import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { type Harness, hello, type Json, until } from '../../harness.ts'
import { attemptsOf, callerOf, chunksOf, cutOf, saidIn } from '../streams/world.ts'
import { SCRIPTED, startGemini, WEATHER } from './world.ts'

const harness: Harness = await startGemini()
const { simulator } = harness
beforeEach(() => simulator.reset())
after(() => harness.stop())

let taken = 0
const nextModel = () => SCRIPTED[taken++] ?? ''
const ask = (body: Json) => callerOf(harness.url, { max_tokens: 500, ...body }, {})

async function streamed(body: Json) {
  const caller = ask(body)
  assert.ok(await caller.ended)
  assert.equal(caller.status(), 200, caller.text())
  return { caller, chunks: caller.chunks() }
}

describe('a stream', () => {
  test('is asked for in the path, and says what the whole answer says', async () => {
    const model = 'gemini-3.5-flash-sim-events-40-0'
    const { caller, chunks } = await streamed({ model, stream_options: { include_usage: true } })
    const whole = await harness.chat(hello(model, { max_tokens: 500 }))
    assert.equal(caller.said(), whole.json.choices[0].message.content)
    assert.ok(caller.isDone())
    assert.deepEqual(chunks.at(-1)?.usage, whole.json.usage)
    const call = simulator.calls.find(({ query }) => query === 'alt=sse')
    assert.equal(call?.path, `/v1beta/models/${model}:streamGenerateContent`)
    assert.deepEqual(Object.keys(call?.body ?? {}), ['contents', 'generationConfig'])
    assert.equal(chunks.at(-2)?.choices[0].finish_reason, 'stop')
  })

  for (const odd of ['early-zero', 'late-usage']) {
    test(`with ${odd} counts the same`, async () => {
      const model = nextModel()
      simulator.script(model, [{ tweak: { text: 'a b c' }, stream: { odd: [odd], pieces: 7 } }])
      const { chunks } = await streamed({ model, stream_options: { include_usage: true } })
      assert.equal(saidIn(chunks), 'a b c')
      assert.ok(chunks.at(-1).usage.prompt_tokens > 0 && chunks.at(-1).usage.completion_tokens > 0)
    })
  }

  test('of calls carries their signature, which comes back', async () => {
    const model = 'gemini-3.5-flash-sim-tools-2'
    const user = { role: 'user', content: 'Weather?' }
    const { chunks } = await streamed({ model, messages: [user], tools: [WEATHER] })
    const calls = chunks.flatMap((chunk) => chunk.choices?.[0]?.delta?.tool_calls ?? [])
    assert.deepEqual(
      calls.map((call: Json) => [call.index, call.function.name]),
      [
        [0, 'weather'],
        [1, 'weather'],
      ],
    )
    assert.equal(chunks[0].choices[0].delta.role, 'assistant')
    const signature = calls[0].extra_content.google.thought_signature
    const results = calls.map((call: Json) => ({ role: 'tool', tool_call_id: call.id, content: 'sunny' }))
    const tool_calls = calls.map(({ index: _, ...call }: Json) => call)
    const messages = [user, { role: 'assistant', content: null, tool_calls }, ...results]
    const next = await streamed({ model, messages, tools: [WEATHER] })
    assert.match(next.caller.said(), /^The tool answered: sunny, sunny/)
    assert.equal(harness.sent().contents[1].parts[0].thoughtSignature, signature)
    const [last] = next.chunks.filter((chunk) => chunk.choices?.[0]?.delta?.extra_content !== undefined)
    assert.ok(last !== undefined, 'the signature in the last, empty part is passed on')
  })

  test('of several answers has several choices', async () => {
    const model = nextModel()
    simulator.script(model, [{ tweak: { text: 'two words' } }])
    const { chunks } = await streamed({ model, n: 2 })
    for (const index of [0, 1]) {
      const choices = chunks.flatMap((chunk) => (chunk.choices ?? []).filter((choice: Json) => choice.index === index))
      assert.equal(choices.map((choice: Json) => choice.delta.content ?? '').join(''), 'two words')
      assert.equal(choices.at(-1).finish_reason, 'stop')
    }
  })
})

describe('what goes wrong', () => {
  const error = { error: { code: 503, status: 'UNAVAILABLE', message: 'The model is overloaded.' } }

  test('before content, as an event or as a bare body, is tried again', async () => {
    for (const step of [{ error: 503 }, { raw: JSON.stringify(error, null, 2) }]) {
      const model = nextModel()
      simulator.script(model, [{ stream: { steps: [step, 'end'] } }, { tweak: { text: 'there' } }])
      const { caller } = await streamed({ model })
      assert.equal(caller.said(), 'there')
    }
  })

  test('after content ends the stream with an error', async () => {
    for (const [steps, code] of [
      [[{ play: 'first' }, { error: 503 }, 'end'], 'provider_overloaded'],
      [[{ play: 'first' }, { raw: JSON.stringify(error) }, 'end'], 'provider_overloaded'],
      [[{ play: 'content' }, 'end'], 'upstream_error'],
      [[{ play: 'first' }, 'cut'], 'upstream_error'],
    ] as const) {
      const model = nextModel()
      simulator.script(model, [{ tweak: { text: 'a b c' }, stream: { steps } }])
      const caller = ask({ model })
      await caller.ended
      assert.equal(cutOf(caller).code, code)
    }
  })

  test('a blocked prompt is an answer with its status', async () => {
    const model = nextModel()
    simulator.script(model, [
      { stream: { steps: [{ send: { data: { promptFeedback: { blockReason: 'SAFETY' } } } }, 'end'] } },
    ])
    const caller = ask({ model })
    await caller.ended
    assert.equal(caller.status(), 400)
    assert.equal(JSON.parse(caller.text()).error.code, 'content_filtered')
  })
})

test('when the caller leaves, the rest is read: it is billed all the same', async () => {
  const model = nextModel()
  simulator.script(model, [
    { tweak: { text: 'a b c' }, stream: { steps: [{ play: 'first' }, 'stall', { play: 'done' }] } },
  ])
  const caller = ask({ model })
  await until(() => caller.said() !== '', 'content is out')
  caller.leave()
  await caller.ended
  for (let turn = 0; turn < 3; turn++) await harness.get('/healthz')
  simulator.resume()
  await until(() => simulator.streams.finished > 0, 'the stream was read to its end')
  const row = await lastRow()
  assert.deepEqual([row.code, row['usage_source']], ['caller_left', 'provider'])
})

async function lastRow() {
  await until(async () => (await harness.rows()).at(-1)?.['state'] === 'closed', 'the row is complete')
  const row = (await harness.rows()).at(-1)
  assert.ok(row !== undefined)
  return row
}

describe('a chain across three families', () => {
  const overloaded = { status: 503 }

  test('ends at the third, whole', async () => {
    simulator.script('gpt-0', [overloaded])
    simulator.script('claude-0', [overloaded])
    simulator.script(SCRIPTED[0] ?? '', [{ tweak: { text: 'at last' } }])
    const answer = await harness.chat(hello('three-0', { max_tokens: 50 }))
    assert.equal(answer.json.choices[0].message.content, 'at last')
    const called = attemptsOf(await harness.rowOf(answer)).map(({ provider, code }) => [provider, code])
    assert.deepEqual(called, [
      ['openai', 'provider_overloaded'],
      ['anthropic', 'provider_overloaded'],
      ['google', null],
    ])
  })

  test('ends at the third, streamed, with the history of the others', async () => {
    for (const model of ['gpt-1', 'claude-1'])
      simulator.script(model, [{ stream: { steps: [{ play: 'start' }, { error: 503 }, 'end'] } }])
    const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Ulm"}' } }
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
    ]
    const caller = ask({ model: 'three-1', messages, tools: [WEATHER] })
    assert.ok(await caller.ended)
    assert.match(saidIn(chunksOf(caller.text())), /^The tool answered: sunny/, caller.text())
    assert.deepEqual(
      harness.upstream().map(({ family }) => family),
      ['openai', 'anthropic', 'gemini'],
    )
    assert.equal(caller.header('x-gateway-provider'), 'google')
  })
})
