import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { type Harness, type Json, KEY, startHarness } from '../../harness.ts'
import { pythonSession } from '../../python-session.ts'
import { wav } from '../../sounds.ts'

const BY_TIME = 'unit_prices: [{ name: audio_input, unit: audio_minute, usd_per_1000: "6", step_ms: 1000 }]'
const BY_CHARACTER = 'unit_prices: [{ name: character, unit: character, usd_per_1000: "0.015" }]'
const BY_IMAGE = 'unit_prices: [{ name: image, unit: image, usd_per_1000: "20" }]'
const NO_TOKENS = 'input_per_mtok: null, output_per_mtok: null'
const harness: Harness = await startHarness({
  environment: { STREAMING: 'on' },
  config: `
providers:
  local: { family: openai, base_url: "\${SIMULATED}", api_key: local-key }
registry:
  - { provider: local, model: whisper-1, mode: audio_transcription, ${NO_TOKENS}, ${BY_TIME} }
  - { provider: local, model: heard, mode: audio_transcription, ${NO_TOKENS}, ${BY_TIME} }
  - { provider: local, model: tts-1, mode: audio_speech, ${NO_TOKENS}, ${BY_CHARACTER} }
  - { provider: local, model: sdxl, mode: image_generation, ${BY_IMAGE} }
  - { provider: local, model: coder, mode: completion, input_per_mtok: "1", output_per_mtok: "2" }
  - { provider: local, model: guard, mode: moderation, input_per_mtok: "0", output_per_mtok: "0" }
`,
})
after(() => harness.stop())
const session = pythonSession()
const SOUND = join(harness.folder, 'speech.wav')
const PICTURE = join(harness.folder, 'cat.png')
writeFileSync(SOUND, wav(2.11))
writeFileSync(PICTURE, Buffer.from('\x89PNG and then the pixels of a cat', 'latin1'))

const FRAME = (script: string) => `
import os
import openai
client = openai.OpenAI(base_url=os.environ["BASE_URL"], api_key=os.environ["KEY"], max_retries=0)
sound, picture = os.environ["SOUND"], os.environ["PICTURE"]
${script}
`

async function python(context: TestContext, script: string, expected: Json): Promise<void> {
  if (session.skips(context)) return
  const environment = { BASE_URL: `${harness.url}/v1`, KEY, SOUND, PICTURE }
  assert.deepEqual(await session.run(FRAME(script), environment), expected)
}

describe("Python's official package", () => {
  test('makes and changes images', (context) =>
    python(
      context,
      `
made = client.images.generate(model="local/sdxl", prompt="A cat", n=2)
with open(picture, "rb") as one, open(picture, "rb") as other:
    changed = client.images.edit(model="local/sdxl", prompt="Asleep", image=[one, other], mask=open(picture, "rb"))
result = [len(made.data), bool(made.data[0].b64_json), len(changed.data)]`,
      [2, true, 1],
    ))

  test('has a sound written down, in every format, streamed and in English', (context) =>
    python(
      context,
      `
hear = client.audio.transcriptions.create
plain = hear(model="local/whisper-1", file=open(sound, "rb")).text
verbose = hear(model="local/whisper-1", file=open(sound, "rb"), response_format="verbose_json",
    timestamp_granularities=["word", "segment"])
texts = [hear(model="local/whisper-1", file=open(sound, "rb"), response_format=each) for each in ["text", "srt", "vtt"]]
streamed = "".join(event.delta for event in hear(model="local/heard", file=open(sound, "rb"), stream=True)
    if event.type == "transcript.text.delta")
english = client.audio.translations.create(model="local/whisper-1", file=open(sound, "rb")).text
starts = lambda text: text.startswith("The train")
result = [starts(plain), verbose.language, ["The train" in text for text in texts], starts(streamed), starts(english)]`,
      [true, 'english', [true, true, true], true, true],
    ))

  test('has a text said, whole and as it comes', (context) =>
    python(
      context,
      `
whole = client.audio.speech.create(model="local/tts-1", voice="alloy", input="Ten o'clock").content
with client.audio.speech.with_streaming_response.create(model="local/tts-1", voice="alloy", input="Ten o'clock") as said:
    parts = b"".join(said.iter_bytes())
result = [len(whole) > 100, whole == parts]`,
      [true, true],
    ))

  test('classifies texts and continues them', (context) =>
    python(
      context,
      `
moderated = client.moderations.create(model="local/guard", input=["hello", "again"])
whole = client.completions.create(model="local/coder", prompt="def add(a, b):", max_tokens=5)
stream = client.completions.create(model="local/coder", prompt="def add(a, b):", max_tokens=5, stream=True)
streamed = "".join(chunk.choices[0].text for chunk in stream if chunk.choices)
result = [len(moderated.results), len(whole.choices[0].text) > 0, streamed == whole.choices[0].text]`,
      [2, true, true],
    ))
})

const run = promisify(execFile)

async function curl(path: string, ...fields: string[]): Promise<Json> {
  const form = fields.flatMap((field) => ['-F', field])
  const { stdout } = await run('curl', [
    ...['--silent', '--show-error', '--max-time', '60', `${harness.url}/v1/${path}`],
    ...['-H', `Authorization: Bearer ${KEY}`, ...form],
  ])
  return JSON.parse(stdout)
}

describe("curl's forms", () => {
  const file = `file=@${SOUND};type=audio/wav`
  const picture = `@${PICTURE};type=image/png`

  for (const [how, fields] of [
    ['the file first', [file, 'model=local/whisper-1', 'language=en']],
    ['the file last', ['language=en', 'model=local/whisper-1', file]],
    ['the file between', ['model=local/whisper-1', file, 'temperature=0', 'response_format=json']],
  ] as const) {
    test(`a sound, ${how}`, async () => {
      assert.match((await curl('audio/transcriptions', ...fields)).text, /^The train/)
    })
  }

  test('images, by a name that repeats and by one that is a list', async () => {
    for (const name of ['image', 'image[]']) {
      const answer = await curl(
        'images/edits',
        `${name}=${picture}`,
        'prompt=Asleep',
        `${name}=${picture}`,
        'model=local/sdxl',
      )
      assert.equal(answer.data.length, 1, name)
    }
    assert.equal((harness.sent()['image[]'] ?? harness.sent().image).length, 2)
  })

  test('without a file, or with a text in its place: an error that names the field', async () => {
    const [none, text] = [
      await curl('audio/transcriptions', 'model=local/whisper-1'),
      await curl('audio/transcriptions', 'model=local/whisper-1', 'file=spoken'),
    ]
    assert.match(none.error.message, /^file: /)
    assert.match(text.error.message, /^file: /)
  })
})

describe("Open WebUI's requests", () => {
  const post = async (path: string, body: object) => {
    const answer = await fetch(`${harness.url}/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', 'x-openwebui-user-name': 'anna' },
      body: JSON.stringify(body),
    })
    return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() }
  }

  test('images: b64_json is asked of every model', async () => {
    const { status, text } = await post('images/generations', {
      ...{ model: 'local/sdxl', prompt: 'A cat', n: 1, size: '512x512', response_format: 'b64_json' },
    })
    assert.equal(status, 200, text)
    assert.ok(JSON.parse(text).data[0].b64_json)
    assert.equal(harness.sent().response_format, 'b64_json')
  })

  test('speech: it converts by the type of the answer', async () => {
    const { status, type } = await post('audio/speech', { model: 'local/tts-1', input: 'Ten', voice: 'alloy' })
    assert.deepEqual([status, type?.startsWith('audio/')], [200, true])
  })

  test('a recording: the file comes with its name, and the model after it', async () => {
    const { text } = await curl(
      'audio/transcriptions',
      `file=@${SOUND};filename=1c9f.wav`,
      'model=local/whisper-1',
      'language=en',
    )
    assert.match(text, /^The train/)
  })
})
