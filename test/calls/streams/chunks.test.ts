import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { JsonObject } from '../../../src/domain/request/call-request.ts'
import { bodyOf, framesOf, GATEWAY, STAMP, translateStream } from './translate-stream.ts'

const WANTED = { stream_options: { include_usage: true } }
const COUNTED = { prompt_tokens: 20, completion_tokens: 5, total_tokens: 25 }

const chunk = (choices: JsonObject[], more: JsonObject = {}): JsonObject => ({
  id: 'x',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices,
  ...more,
})
const choice = (delta: JsonObject, reason: string | null = null, more: JsonObject = {}): JsonObject => ({
  index: 0,
  delta,
  finish_reason: reason,
  ...more,
})
const ROLE = choice({ role: 'assistant', content: '' })
const TEXT = choice({ content: 'Hi' })
const END = choice({}, 'stop')

function translated(events: (JsonObject | string)[], fields: JsonObject = {}) {
  return translateStream('openai', [bodyOf(...events)], fields)
}

/** As the caller must see it. */
const ours = (choices: JsonObject[], more: JsonObject = {}) => ({
  ...chunk(choices),
  id: STAMP.id,
  model: STAMP.model,
  ...more,
})

function failureOf(events: (JsonObject | string)[], fields?: JsonObject) {
  const { parts, end } = translated(events, fields)
  const last = parts.at(-1)
  assert.equal(last?.type, 'failed', JSON.stringify(parts))
  assert.equal(end, '')
  return last.type === 'failed' ? last.failure : null
}

describe('chunks of a provider of the same format', () => {
  test('pass; the finish chunk waits for the end and carries x_gateway', () => {
    const { live, end, parts } = translated([
      chunk([ROLE]),
      chunk([TEXT]),
      chunk([END]),
      chunk([], { usage: COUNTED }),
      '[DONE]',
    ])
    assert.deepEqual(framesOf(live), [ours([ROLE]), ours([TEXT])])
    assert.deepEqual(framesOf(end), [ours([END], { x_gateway: GATEWAY }), '[DONE]'])
    assert.deepEqual(
      parts.map((part) => (part.type === 'chunk' ? [part.contentBytes, part.isEnd] : part.type)),
      [[0, false], [2, false], [0, true], 'message-end'],
    )
  })

  test('carry a null usage if the caller asked for usage, which comes once, with x_gateway', () => {
    const events = [
      chunk([ROLE], { usage: null }),
      chunk([TEXT]),
      chunk([END], { service_tier: 'flex' }),
      chunk([], { usage: COUNTED }),
    ]
    const { live, end, usage } = translated([...events, '[DONE]'], WANTED)
    assert.deepEqual(framesOf(live), [ours([ROLE], { usage: null }), ours([TEXT], { usage: null })])
    assert.deepEqual(framesOf(end), [
      ours([END], { service_tier: 'flex', usage: null }),
      ours([], { service_tier: 'flex', usage: COUNTED, x_gateway: GATEWAY }),
      '[DONE]',
    ])
    assert.deepEqual([usage?.tokens.input, usage?.tokens.output, usage?.tokens.pricePercent], [20, 5, 50])
    assert.equal(usage?.isFinal, true)
  })

  test('of two choices: one finishes, the other flows on', () => {
    const second = (each: JsonObject) => ({ ...each, index: 1 })
    const events = [
      chunk([ROLE]),
      chunk([second(ROLE)]),
      chunk([END]),
      chunk([second(TEXT)]),
      chunk([second(END)]),
      '[DONE]',
    ]
    const { live, end } = translated(events, { n: 2 })
    assert.deepEqual(framesOf(live), [ours([ROLE]), ours([second(ROLE)]), ours([second(TEXT)])])
    assert.deepEqual(framesOf(end), [ours([END]), ours([second(END)], { x_gateway: GATEWAY }), '[DONE]'])
  })

  test('the last token and the finish in one chunk', () => {
    const last = choice({ content: '!' }, 'length')
    const { live, end } = translated([chunk([ROLE]), chunk([last]), '[DONE]'])
    assert.deepEqual(
      [framesOf(live), framesOf(end)],
      [[ours([ROLE])], [ours([last], { x_gateway: GATEWAY }), '[DONE]']],
    )
  })

  test('reasoning, refusals, calls and audio are content; lists of parts too', () => {
    const deltas: [JsonObject, number][] = [
      [{ reasoning_content: 'ab' }, 2],
      [{ reasoning: 'ab' }, 2],
      [{ refusal: 'é' }, 2],
      [{ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'wx', arguments: '{' } }] }, 3],
      [{ function_call: { arguments: '{}' } }, 2],
      [{ audio: { id: 'a', data: 'AAAA' } }, 4],
      [{ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'abc' }] }] }, 3],
      [{ content: '' }, 0],
    ]
    const { parts } = translated([
      chunk([ROLE]),
      ...deltas.map(([delta]) => chunk([choice(delta)])),
      chunk([END]),
      '[DONE]',
    ])
    const bytes = parts.flatMap((part) => (part.type === 'chunk' ? [part.contentBytes] : []))
    assert.deepEqual(bytes, [0, ...deltas.map(([, expected]) => expected), 0])
  })

  test('a first delta without a role gets one, also of a second choice', () => {
    const second = { ...TEXT, index: 1 }
    const { live } = translated([chunk([TEXT]), chunk([second]), chunk([TEXT])], { n: 2 })
    const deltas = (framesOf(live) as { choices: [JsonObject] }[]).map(({ choices }) => choices[0]['delta'])
    assert.deepEqual(deltas, [
      { role: 'assistant', content: 'Hi' },
      { role: 'assistant', content: 'Hi' },
      { content: 'Hi' },
    ])
  })

  test('eos is stop', () => {
    const { end, parts } = translated([chunk([TEXT]), chunk([choice({}, 'eos')]), '[DONE]'])
    assert.deepEqual(framesOf(end), [ours([END], { x_gateway: GATEWAY }), '[DONE]'])
    assert.deepEqual(parts.at(-1), { type: 'message-end', finishReason: 'stop', warning: null })
  })
})

describe('the end of a stream of chunks', () => {
  const MESSAGE_END = { type: 'message-end', finishReason: 'stop', warning: null }

  test('blanks around [DONE] do not matter, nor is it needed once every choice has finished', () => {
    for (const last of [['  [DONE] '], []]) {
      assert.deepEqual(translated([chunk([TEXT]), chunk([END]), ...last]).parts.at(-1), MESSAGE_END)
    }
  })

  test('before a finish reason it is a failure, with [DONE] or without', () => {
    for (const last of [['[DONE]'], []]) {
      const failure = failureOf([chunk([ROLE]), chunk([TEXT]), ...last])
      assert.deepEqual([failure?.code, failure?.retry], ['upstream_error', 'no'])
    }
    assert.equal(failureOf([])?.code, 'upstream_error')
    assert.equal(failureOf(['[DONE]'])?.code, 'upstream_error')
  })

  test('with a choice that has not finished it is a failure', () => {
    const second = { ...TEXT, index: 1 }
    assert.equal(failureOf([chunk([TEXT, second]), chunk([END]), '[DONE]'], { n: 2 })?.code, 'upstream_error')
    assert.equal(
      failureOf([chunk([TEXT]), chunk([END])], { n: 2 })?.code,
      'upstream_error',
      'the other one may be missing',
    )
  })

  test('of a server that gives fewer choices than asked for is its [DONE]', () => {
    assert.deepEqual(translated([chunk([TEXT]), chunk([END]), '[DONE]'], { n: 2 }).parts.at(-1), MESSAGE_END)
  })

  test('is not spoiled by what comes after every choice has finished', () => {
    for (const late of ['garbage', { error: { message: 'late' } }, chunk([]), '{"x":1}']) {
      const { live, end } = translated([chunk([TEXT]), chunk([END]), late, '[DONE]', { error: { message: 'later' } }])
      assert.equal(framesOf(live).length, 1)
      assert.deepEqual(framesOf(end), [ours([END], { x_gateway: GATEWAY }), '[DONE]'])
    }
  })
})

describe('an error inside of a stream of chunks counts as if its status had come', () => {
  const table: [what: string, event: JsonObject | string, code: string, message: RegExp][] = [
    ['by its code', { error: { message: 'slow down', code: 'rate_limit_exceeded' } }, 'rate_limited', /slow down/],
    ['by its type', { error: { message: 'busy', type: 'overloaded_error' } }, 'provider_overloaded', /busy/],
    ['by its number', { error: { message: 'gone', code: 504 } }, 'upstream_timeout', /gone/],
    ['an empty account', { error: { message: 'pay', type: 'insufficient_quota' } }, 'provider_quota_exceeded', /pay/],
    ['a text', { error: 'broken' }, 'upstream_error', /broken/],
    ['of a vendor', chunk([TEXT], { x_groq: { error: 'over capacity' } }), 'upstream_error', /over capacity/],
    [
      'beside a finish reason',
      chunk([choice({}, 'error')], { error: { message: 'down', code: 503 } }),
      'provider_overloaded',
      /down/,
    ],
    ['as a finish reason', chunk([choice({}, 'error')]), 'upstream_error', /ended its answer with an error/],
    ['a flat body with an event name', { type: 'error', message: 'flat', code: 429 }, 'rate_limited', /flat/],
    ['a flat body that says so', { object: 'error', message: 'flat', code: 400 }, 'invalid_request', /flat/],
    ['something unreadable', '{"id":', 'upstream_error', /cannot be read/],
    ['something else than an object', '[1]', 'upstream_error', /cannot be read/],
  ]
  for (const [what, event, code, message] of table) {
    test(what, () => {
      for (const before of [[], [chunk([ROLE]), chunk([TEXT])]]) {
        const failure = failureOf([...before, event, chunk([END]), '[DONE]'])
        assert.equal(failure?.code, code)
        assert.match(failure?.message ?? '', message)
      }
    })
  }

  test('JSON in the middle of a stream without a field name', () => {
    const error = '{\n  "error": {\n    "code": 503,\n    "message": "unavailable"\n  }\n}\n'
    const { parts } = translateStream('openai', [bodyOf(chunk([ROLE]), chunk([TEXT])), Buffer.from(error)])
    const last = parts.at(-1)
    assert.equal(last?.type === 'failed' ? last.failure.code : last?.type, 'provider_overloaded')
  })

  test('a null error is none, and a field with a key is not shown', () => {
    assert.equal(translated([chunk([TEXT], { error: null }), chunk([END]), '[DONE]']).parts.at(-1)?.type, 'message-end')
    assert.doesNotMatch(failureOf([{ error: { message: 'bad key sk-abcdefgh123' } }])?.message ?? '', /abcdefgh/)
  })
})

describe('usage, wherever a provider counts it', () => {
  const usageOf = (events: (JsonObject | string)[]) => translated([chunk([ROLE]), ...events, '[DONE]']).usage
  const CACHED = { ...COUNTED, prompt_tokens_details: { cached_tokens: 15 } }

  const table: [what: string, events: JsonObject[], usage: JsonObject, isFinal: boolean][] = [
    ['on a chunk with choices', [chunk([TEXT]), chunk([END], { usage: COUNTED })], COUNTED, true],
    [
      'peer bug 3, litellm#36168: with cached tokens, on a chunk with choices',
      [chunk([TEXT]), chunk([END], { usage: CACHED })],
      CACHED,
      true,
    ],
    [
      'peer bug 4, litellm#36882: a cached_tokens of 0 is data',
      [chunk([TEXT]), chunk([END]), chunk([], { usage: { ...COUNTED, prompt_tokens_details: { cached_tokens: 0 } } })],
      { ...COUNTED, prompt_tokens_details: { cached_tokens: 0 } },
      true,
    ],
    [
      'peer bug 5, CLIProxyAPI#4053, #4964: a zero placeholder comes first',
      [
        chunk([TEXT], { usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } }),
        chunk([END]),
        chunk([], { usage: COUNTED }),
      ],
      COUNTED,
      true,
    ],
    [
      'a zero placeholder comes last',
      [
        chunk([TEXT]),
        chunk([END], { usage: COUNTED }),
        chunk([], { usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: null } }),
      ],
      COUNTED,
      true,
    ],
    [
      'peer bug 6, tensorzero#5563, #1791: repeated totals are not added up',
      [
        chunk([TEXT], { usage: { ...COUNTED, completion_tokens: 1 } }),
        chunk([TEXT], { usage: COUNTED }),
        chunk([END], { usage: COUNTED }),
      ],
      COUNTED,
      true,
    ],
    ["of a vendor's own field", [chunk([TEXT]), chunk([END], { x_groq: { id: 'r', usage: COUNTED } })], COUNTED, true],
    ['on the last chunk with content', [chunk([TEXT], { usage: COUNTED }), chunk([END])], COUNTED, true],
    ['only in the middle', [chunk([TEXT], { usage: COUNTED }), chunk([TEXT]), chunk([END])], COUNTED, false],
    [
      'details told apart',
      [chunk([TEXT]), chunk([END], { usage: CACHED }), chunk([], { usage: COUNTED })],
      CACHED,
      true,
    ],
  ]
  for (const [what, events, expected, isFinal] of table) {
    test(what, () => {
      const usage = usageOf(events)
      assert.deepEqual(usage?.body, expected)
      assert.equal(usage?.isFinal, isFinal)
    })
  }

  test('no count at all', () => assert.equal(usageOf([chunk([TEXT]), chunk([END])]), null))

  test('peer bug 3, litellm#36168: cached tokens are counted as cached', () => {
    const { tokens } = usageOf([chunk([TEXT]), chunk([END], { usage: CACHED })]) ?? {}
    assert.deepEqual([tokens?.input, tokens?.cachedInput, tokens?.output], [5, 15, 5])
  })

  test('peer bug 32, langchain-litellm#56: a caller who did not ask for usage gets no chunk without choices', () => {
    const { live, end } = translated([
      chunk([ROLE]),
      chunk([TEXT], { usage: COUNTED }),
      chunk([END]),
      chunk([], { usage: COUNTED }),
      '[DONE]',
    ])
    for (const frame of framesOf(live + end)) {
      if (typeof frame !== 'object') continue
      assert.equal((frame as { choices: unknown[] }).choices.length, 1)
      assert.ok(!Object.hasOwn(frame as object, 'usage'))
    }
  })

  test('peer bug 2, litellm#28735, #8450: one who did gets it once, with no choices', () => {
    const { live, end } = translated(
      [chunk([ROLE]), chunk([TEXT], { usage: COUNTED }), chunk([END], { usage: COUNTED }), '[DONE]'],
      WANTED,
    )
    const frames = framesOf(live + end) as JsonObject[]
    assert.deepEqual(
      frames.map((frame) => frame['usage']),
      [null, null, null, COUNTED, undefined],
    )
    assert.deepEqual(frames.at(-2)?.['choices'], [])
  })
})

describe("peers' bugs with chunks", () => {
  const choicesOf = (text: string) =>
    (framesOf(text) as { choices: JsonObject[] }[]).flatMap(({ choices }) => choices ?? [])

  const deltaOf = (text: string) => (choicesOf(text)[0]?.['delta'] ?? {}) as JsonObject

  test('peer bug 7, liteLLM-proxy#19, vllm#19662: finish_reason is null where it was left out', () => {
    const { live } = translated([chunk([{ index: 0, delta: { role: 'assistant', content: 'Hi' } }]), chunk([TEXT])])
    assert.deepEqual(
      choicesOf(live).map((each) => each['finish_reason']),
      [null, null],
    )
  })

  test('peer bug 8, litellm#10686: logprobs and finish_reason both pass', () => {
    const logprobs = { content: [{ token: 'Hi', logprob: -0.5, bytes: [72, 105], top_logprobs: [] }], refusal: null }
    const { live, end } = translated([
      chunk([choice({ role: 'assistant', content: 'Hi' }, null, { logprobs })]),
      chunk([choice({}, 'stop', { logprobs: null })]),
      '[DONE]',
    ])
    assert.deepEqual(choicesOf(live)[0]?.['logprobs'], logprobs)
    assert.equal(choicesOf(end)[0]?.['finish_reason'], 'stop')
  })

  test('peer bug 9, vllm#27572: a stream whose last chunk has no finish_reason is no answer', () => {
    assert.equal(failureOf([chunk([ROLE]), chunk([TEXT]), chunk([choice({})]), '[DONE]'])?.code, 'upstream_error')
  })

  test('peer bug 11, bifrost#7235: every call of a chunk passes, with its own index and id', () => {
    const calls = [0, 1].map((index) => ({
      index,
      id: `call_${index}`,
      type: 'function',
      function: { name: 'f', arguments: '' },
    }))
    const { live } = translated([
      chunk([choice({ role: 'assistant', content: null, tool_calls: calls })]),
      chunk([choice({}, 'tool_calls')]),
      '[DONE]',
    ])
    assert.deepEqual(deltaOf(live)['tool_calls'], calls)
  })

  test('peer bug 12, Portkey-AI/gateway#1537: [DONE] glued to other events; fragments without id keep their index', () => {
    const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '' } }
    const start = choice({ role: 'assistant', content: null, tool_calls: [call] })
    const fragment = choice({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] })
    const body = bodyOf(
      chunk([start]),
      chunk([fragment]),
      chunk([fragment]),
      chunk([choice({}, 'tool_calls')]),
      '[DONE]',
    )
    const { live, end } = translateStream('openai', [body])
    assert.deepEqual(choicesOf(live), [start, fragment, fragment])
    assert.deepEqual(framesOf(end).at(-1), '[DONE]')
  })

  test('peer bug 13, Portkey-AI/gateway#1072: a first chunk with empty choices passes where usage is asked for, and commits to nothing', () => {
    const results = { prompt_filter_results: [{ prompt_index: 0 }] }
    const filters = chunk([], { ...results, object: '', created: 0 })
    const events = [filters, chunk([ROLE]), chunk([TEXT]), chunk([END]), '[DONE]']
    const { live, parts } = translated(events, WANTED)
    assert.deepEqual(framesOf(live)[0], ours([], { ...results, created: STAMP.created, usage: null }))
    assert.equal(parts[0]?.type === 'chunk' ? parts[0].contentBytes : -1, 0)
    const unasked = framesOf(translated(events).live) as JsonObject[]
    assert.deepEqual(unasked[0], ours([ROLE]), 'others read choices[0] of every chunk')
  })

  test('a late verdict of a filter, without a delta, is dropped; an end without one is not', () => {
    const late = chunk([{ index: 0, content_filter_offsets: { start_offset: 0 } }], { object: '', created: 0 })
    const end = { index: 0, finish_reason: 'stop' }
    const { live, end: last } = translated([late, chunk([ROLE]), late, chunk([TEXT]), late, chunk([end]), '[DONE]'])
    const deltas = (framesOf(live + last).filter((frame) => frame !== '[DONE]') as JsonObject[]).map(
      ({ choices }) => (choices as JsonObject[])[0]?.['delta'],
    )
    assert.deepEqual(deltas, [ROLE['delta'], TEXT['delta'], {}])
  })

  test('peer bug 26, gpustack#6155: every frame is framed, beside the usage chunk too', () => {
    const { live, end } = translated(
      [chunk([ROLE]), chunk([TEXT]), chunk([END]), chunk([], { usage: COUNTED }), '[DONE]'],
      WANTED,
    )
    for (const frame of (live + end).split('\n\n').slice(0, -1)) assert.match(frame, /^data: (?:\{.*\}|\[DONE\])$/)
  })

  test('peer bug 27, claude-code-router#1672, aisix#111: letters of several bytes survive any cut', () => {
    const body = bodyOf(chunk([choice({ role: 'assistant', content: 'é 日本 😀' })]), chunk([END]), '[DONE]')
    const { live } = translateStream(
      'openai',
      [...body].map((byte) => Buffer.of(byte)),
    )
    assert.equal(deltaOf(live)['content'], 'é 日本 😀')
  })

  test('peer bug 30, litellm#41611: a value split over two chunks is not looked into', () => {
    const { live } = translated([
      chunk([ROLE]),
      chunk([choice({ content: '{"usage":{"prompt' })]),
      chunk([choice({ content: '_tokens":9}}' })]),
    ])
    assert.deepEqual(choicesOf(live).slice(1), [
      choice({ content: '{"usage":{"prompt' }),
      choice({ content: '_tokens":9}}' }),
    ])
  })
})
