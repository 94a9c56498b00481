import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import OpenAI from 'openai'
import { type Harness, type Json, KEY, startHarness } from '../../harness.ts'
import { managing } from '../../management/manage.ts'
import { fc } from '../../property.ts'
import { adts, flac, fragmentedMp4, mp3, mp4, ogg, opus, wav, webm } from '../../sounds.ts'

const BY_TIME =
  'input_per_mtok: null, output_per_mtok: null, unit_prices: [{ name: audio_input, unit: audio_minute, usd_per_1000: "6", step_ms: 1000 }]'
const TIMED = ['whisper-1', 'whisper-1-sim-no-usage', 'whisper-1-sim-500', 'heard-sim-cut', 'heard']
const harness: Harness = await startHarness({
  config: `
providers:
  local: { family: openai, base_url: "\${SIMULATED}", api_key: local-key }
  groq: { preset: groq, base_url: "\${SIMULATED}", api_key: groq-key }
workspaces:
  default:
    streaming: true
    routes:
      timed: { chain: [{ provider: local, model: whisper-1 }] }
      untold: { chain: [{ provider: local, model: whisper-1-sim-no-usage }] }
      twice: { chain: [{ provider: local, model: whisper-1-sim-500, retries: 0 }, { provider: groq, model: whisper-large-v3 }] }
      tokens: { chain: [{ provider: local, model: gpt-4o-transcribe }] }
      diarized: { chain: [{ provider: local, model: gpt-4o-diarize }] }
      live: { chain: [{ provider: local, model: heard }] }
      cut: { chain: [{ provider: local, model: heard-sim-cut }] }
      talk: { chain: [{ provider: local, model: talker }] }
registry:
${TIMED.map((model) => `  - { provider: local, model: ${model}, mode: audio_transcription, ${BY_TIME} }`).join('\n')}
  - { provider: groq, model: whisper-large-v3, mode: audio_transcription, input_per_mtok: null, output_per_mtok: null, unit_prices: [{ name: audio_input, unit: audio_hour, usd_per_1000: "111", minimum_ms: 10000 }] }
  - { provider: local, model: gpt-4o-transcribe, mode: audio_transcription, input_per_mtok: "2.5", output_per_mtok: "10" }
  - { provider: local, model: gpt-4o-diarize, mode: audio_transcription, input_per_mtok: "2.5", output_per_mtok: "10" }
  - { provider: local, model: talker, mode: chat, input_per_mtok: "1", output_per_mtok: "1" }
`,
})
const { simulator } = harness
const manage = managing(() => harness)
beforeEach(() => simulator.reset())
after(() => harness.stop())

type Fields = Record<string, string>

function formOf(fields: Fields, sound: Buffer | null = wav(2.11), name = 'secret-name.wav'): FormData {
  const form = new FormData()
  if (sound !== null) form.append('file', new Blob([new Uint8Array(sound)], { type: 'audio/wav' }), name)
  for (const [field, value] of Object.entries(fields)) form.append(field, value)
  return form
}

async function send(body: FormData | string, { key = KEY, path = 'transcriptions', headers = {} as Fields } = {}) {
  const answer = await fetch(`${harness.url}/v1/audio/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, ...headers },
    body,
    ...{ duplex: 'half' },
  })
  const text = await answer.text()
  const id = answer.headers.get('x-gateway-request-id')
  const json = text.startsWith('{') ? (JSON.parse(text) as Json) : null
  return {
    status: answer.status,
    type: answer.headers.get('content-type') ?? '',
    headers: answer.headers,
    text,
    json,
    id,
  }
}

async function rowOf(id: string | null): Promise<Json> {
  return (await harness.rows()).find((row) => row.id === id)
}

const heard = () => harness.upstream().map(({ body }) => body as Json)

describe('a transcript', () => {
  test('is that of the provider, with what it says it heard, to the picodollar', async () => {
    const { status, json, text, headers, id } = await send(
      formOf({ model: 'timed', prompt: '2.11', 'timestamp_granularities[]': 'word' }),
    )
    assert.equal(status, 200, text)
    assert.deepEqual(json.usage, { type: 'duration', seconds: 3 })
    assert.deepEqual([headers.get('x-gateway-provider'), headers.get('x-gateway-cost-usd')], ['local', '0.000300'])
    const [sent] = heard()
    assert.deepEqual(sent.file, { name: 'secret-name.wav', type: 'audio/wav', bytes: wav(2.11).length })
    assert.deepEqual([sent.model, sent['timestamp_granularities[]']], ['whisper-1', 'word'])
    const row = await rowOf(id)
    assert.deepEqual(
      [row.endpoint, row.usage_source, row.cost_picodollars],
      ['transcriptions', 'provider', 300_000_000],
    )
  })

  for (const [format, type, begin] of [
    ['json', 'application/json', '{'],
    ['verbose_json', 'application/json', '{"task"'],
    ['text', 'text/plain', 'The train'],
    ['srt', 'text/plain', '1\n00:00'],
    ['vtt', 'text/vtt', 'WEBVTT'],
  ] as const) {
    test(`as ${format} has its type, and costs what was heard`, async () => {
      const {
        status,
        type: sent,
        text,
        id,
      } = await send(formOf({ model: 'untold', prompt: '2.11', response_format: format }))
      assert.equal(status, 200, text)
      assert.ok(sent.startsWith(type) && text.startsWith(begin), `${sent} ${text}`)
      const row = await rowOf(id)
      const isTold = format === 'verbose_json'
      assert.deepEqual([row.usage_source, row.cost_picodollars], [isTold ? 'provider' : 'measured', 300_000_000])
    })
  }

  test('of a model billed by tokens has the price of tokens, and of a text without a count that of its hold', async () => {
    const told = await rowOf((await send(formOf({ model: 'tokens', prompt: '2' }))).id)
    assert.deepEqual(
      [told.audio_input_tokens, told.completion_tokens, told.cost_picodollars],
      [16, 9, 16 * 2_500_000 + 9 * 10_000_000],
    )
    const untold = await rowOf((await send(formOf({ model: 'diarized', prompt: '2', response_format: 'text' }))).id)
    assert.equal(untold.usage_source, 'estimated')
    assert.equal(untold.cost_picodollars, untold.hold_picodollars)
    assert.ok(untold.cost_picodollars > 0)
  })

  test('of a large file comes from a worker, the file as it was', async () => {
    const sound = wav(90)
    const { status, text, headers } = await send(formOf({ model: 'timed', prompt: '90' }, sound))
    assert.equal(status, 200, text)
    assert.equal(heard()[0].file.bytes, sound.length)
    assert.equal(headers.get('x-gateway-cost-usd'), '0.009000')
  })

  for (const seconds of [1, 90]) {
    test(`of ${seconds} s comes from the next entry where the first fails, with the same file`, async () => {
      const { status, text, headers } = await send(formOf({ model: 'twice', prompt: `${seconds}` }, wav(seconds)))
      assert.equal(status, 200, text)
      assert.equal(headers.get('x-gateway-provider'), 'groq')
      assert.deepEqual(
        heard().map(({ model, file }) => [model, file.bytes]),
        [
          ['whisper-1-sim-500', wav(seconds).length],
          ['whisper-large-v3', wav(seconds).length],
        ],
      )
    })
  }

  test('of a translation goes to its own path', async () => {
    const { status, text } = await send(formOf({ model: 'timed' }), { path: 'translations' })
    assert.equal(status, 200, text)
    assert.equal(harness.upstream()[0]?.path, '/v1/audio/translations')
  })

  test('of a JSON body is the same', async () => {
    const input_audio = { data: wav(1).toString('base64'), format: 'wav' }
    const body = JSON.stringify({ model: 'timed', input_audio, language: 'en' })
    const { status, text } = await send(body, { headers: { 'content-type': 'application/json' } })
    assert.equal(status, 200, text)
    assert.deepEqual(heard()[0].file, { name: 'audio.wav', type: 'audio/wav', bytes: wav(1).length })
    assert.equal(heard()[0].language, 'en')
  })

  test('is given once for one Idempotency-Key, whatever the boundary', async () => {
    const headers = { 'idempotency-key': 'once-heard' }
    const first = await send(formOf({ model: 'timed' }), { headers })
    const again = await send(formOf({ model: 'timed' }), { headers })
    assert.deepEqual([again.text, harness.upstream().length], [first.text, 1])
    assert.equal((await send(formOf({ model: 'timed', language: 'de' }), { headers })).status, 409)
  })
})

describe('a stream', () => {
  const eventsIn = (text: string) =>
    text
      .split('\n\n')
      .filter(Boolean)
      .map((frame) => JSON.parse(frame.slice(6)) as Json)

  for (const model of ['live', 'timed']) {
    test(`of ${model} has its events, and its usage in the row`, async () => {
      const { status, text, type, id } = await send(formOf({ model, prompt: '5', stream: 'true' }))
      assert.equal(status, 200, text)
      assert.match(type, /^text\/event-stream/)
      const events = eventsIn(text)
      const last = events.at(-1)
      assert.deepEqual(
        [events[0].type, last.type, last.usage.seconds],
        ['transcript.text.delta', 'transcript.text.done', 5],
      )
      const row = await rowOf(id)
      assert.deepEqual([row.ended, row.cost_picodollars], ['finished', 500_000_000])
    })
  }

  test('that is cut ends with an error, and costs the file that was sent', async () => {
    const { text, id } = await send(formOf({ model: 'cut', stream: 'true' }))
    assert.equal(eventsIn(text).at(-1).error.code, 'upstream_error')
    const row = await rowOf(id)
    assert.deepEqual(
      [row.ended, row.usage_source, row.cost_picodollars],
      ['failed_mid_stream', 'measured', 300_000_000],
    )
  })
})

describe('what cannot be', () => {
  for (const [what, body, status, message] of [
    ['no file', formOf({ model: 'timed' }, null), 400, /file: is missing; expected a file/],
    ['an empty file', formOf({ model: 'timed' }, Buffer.alloc(0)), 400, /file: is empty/],
    ['no model', formOf({}), 400, /model: is missing/],
    ['a file that is no sound', textFile(), 400, /file: expected audio/],
    [
      'a file that is too large',
      formOf({ model: 'timed' }, Buffer.alloc(25 * 1024 * 1024 + 1)),
      413,
      /file: is larger than 26214400 bytes/,
    ],
    [
      'a body that is too large',
      formOf({ model: 'timed' }, Buffer.alloc(27 * 1024 * 1024)),
      413,
      /larger than 27262976 bytes/,
    ],
    ['a stream that is neither', formOf({ model: 'timed', stream: 'maybe' }), 400, /stream: expected true or false/],
    ['a chat model', formOf({ model: 'talk' }), 400, /is for chat, by its mode in the registry/],
    [
      'a format that the model does not write',
      formOf({ model: 'tokens', response_format: 'srt' }),
      400,
      /not compatible/,
    ],
  ] as const) {
    test(what, async () => {
      const answer = await send(body)
      assert.equal(answer.status, status, answer.text)
      assert.match(answer.json.error.message, message)
    })
  }

  function textFile(): FormData {
    const form = new FormData()
    form.append('model', 'timed')
    form.append('file', new Blob(['hello'], { type: 'text/plain' }), 'notes.txt')
    return form
  }

  test('two models, of which the gateway and the provider might choose another', async () => {
    const form = formOf({ model: 'timed' })
    form.append('model', 'talk')
    const answer = await send(form)
    assert.deepEqual([answer.status, harness.upstream().length], [400, 0])
    assert.match(answer.json.error.message, /model: is there more than once/)
  })

  test('a form where JSON is expected, and the reverse', async () => {
    const headers = { authorization: `Bearer ${KEY}` }
    const chat = await fetch(`${harness.url}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: formOf({ model: 'talk' }),
    })
    assert.equal(chat.status, 415)
    const text = await send('hello', { headers: { 'content-type': 'text/plain' } })
    assert.deepEqual(
      [text.status, text.json.error.message],
      [415, 'Send the body as multipart/form-data, not text/plain.'],
    )
  })
})

describe('a hard budget', () => {
  const keyWith = async (usd: string) => {
    const { json, text } = await manage('POST', '/keys?workspace=default', {
      name: `k${usd}-${Math.random()}`,
      limits: { budget: { usd, per: 'total' } },
    })
    assert.ok(typeof json.value === 'string', text)
    return json.value as string
  }

  test('covers the time of the file before the call, and is never exceeded', async () => {
    const key = await keyWith('0.0005')
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => send(formOf({ model: 'timed', prompt: '2.11' }), { key })),
    )
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 402, 402, 402, 402])
  })

  test('refuses a file whose length its bytes do not show', async () => {
    const key = await keyWith('100')
    const answer = await send(formOf({ model: 'timed' }, Buffer.from('no sound'), 'x.mp3'), { key })
    assert.deepEqual([answer.status, answer.json.error.code], [402, 'length_unknown'])
    assert.equal((await send(formOf({ model: 'timed' }, Buffer.from('no sound'), 'x.mp3'))).status, 200)
  })

  test('holds at least what any file costs, whatever its container and its format', async () => {
    const key = await keyWith('100')
    const sounds = fc.constantFrom(
      ...([
        [wav(0.3), 0.3],
        [wav(12.01), 12.01],
        [wav(3, { byteRate: 9_999_999 }), 3],
        [mp3(200), 200 * 0.026_122_449],
        [adts(77), (77 * 1024) / 44_100],
        [flac(44_100 * 61), 61],
        [mp4(5.5, 0.1), 5.5],
        [fragmentedMp4(4, 1.5), 6],
        [ogg(opus(90, 120), { position: 1 }), 10.8],
        [webm(77, 20), 1.54],
      ] as const),
    )
    const asked = fc.tuple(
      sounds,
      fc.constantFrom('timed', 'untold', 'tokens', 'live'),
      fc.constantFrom('json', 'json', 'text', 'verbose_json'),
    )
    await fc.assert(
      fc.asyncProperty(asked, async ([[sound, seconds], model, format]) => {
        const response_format = model === 'tokens' ? 'json' : format
        const { status, id, text } = await send(formOf({ model, prompt: `${seconds}`, response_format }, sound), {
          key,
        })
        assert.equal(status, 200, text)
        const { cost_picodollars: cost, hold_picodollars: held } = await rowOf(id)
        assert.ok(cost > 0 && cost <= held, `${cost} of ${held}`)
      }),
      { numRuns: 60 },
    )
  })
})

test('neither a transcript nor the name of a file nor a prompt is in the log', async () => {
  const { id } = await send(formOf({ model: 'timed', prompt: 'very private words' }))
  const row = JSON.stringify(await rowOf(id))
  assert.doesNotMatch(row, /train|secret-name|private/)
})

describe('the official client', () => {
  const client = new OpenAI({ baseURL: `${harness.url}/v1`, apiKey: KEY, maxRetries: 0 })
  const file = () => new File([new Uint8Array(wav(2.11))], 'speech.wav')

  test('reads every format, with the file in front of the model', async () => {
    const { text } = await client.audio.transcriptions.create({ file: file(), model: 'timed' })
    assert.match(text, /^The train/)
    const verbose = await client.audio.transcriptions.create({
      file: file(),
      model: 'timed',
      response_format: 'verbose_json',
    })
    assert.equal(verbose.language, 'english')
    for (const response_format of ['text', 'srt', 'vtt'] as const) {
      const plain = await client.audio.transcriptions.create({ file: file(), model: 'timed', response_format })
      assert.match(String(plain), /The train/)
    }
    const diarized = await client.audio.transcriptions.create({
      file: file(),
      model: 'diarized',
      response_format: 'diarized_json',
      chunking_strategy: { type: 'server_vad', threshold: 0.5 },
    })
    assert.equal((diarized as Json).task, 'transcribe')
    assert.equal(heard().at(-1)['chunking_strategy[type]'], 'server_vad')
    assert.match((await client.audio.translations.create({ file: file(), model: 'timed' })).text, /^The train/)
  })

  test('reads a stream', async () => {
    let said = ''
    for await (const event of await client.audio.transcriptions.create({ file: file(), model: 'live', stream: true }))
      if (event.type === 'transcript.text.delta') said += event.delta
    assert.match(said, /^The train leaves at ten, on track seven\.$/)
  })
})
