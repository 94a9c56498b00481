import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { ApiError, type Content, FunctionCallingConfigMode, GoogleGenAI, type Part } from '@google/genai'
import { type Harness, KEY } from '../../harness.ts'
import { hard, newKey } from '../../limits/limited.ts'
import { NAMES, startWorld, WEATHER } from './world.ts'

const harness: Harness = await startWorld()
beforeEach(() => harness.simulator.reset())
after(() => harness.stop())

const client = (apiKey: string, more: object = {}) =>
  new GoogleGenAI({ apiKey, httpOptions: { baseUrl: harness.url }, ...more })
const sdk = client(KEY)
const cloud = client(KEY, { vertexai: true })
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='
const picture: Content[] = [
  { role: 'user', parts: [{ text: 'What is this?' }, { inlineData: { mimeType: 'image/png', data: PNG } }] },
]

async function streamed(model: string, contents: string | Content[], config = {}) {
  let text = ''
  let finishReason: string | undefined
  let tokens: number | undefined
  const parts: Part[] = []
  for await (const chunk of await sdk.models.generateContentStream({ model, contents, config })) {
    text += chunk.text ?? ''
    const [candidate] = chunk.candidates ?? []
    parts.push(...(candidate?.content?.parts ?? []))
    finishReason = candidate?.finishReason ?? finishReason
    tokens = chunk.usageMetadata?.candidatesTokenCount ?? tokens
  }
  return { text, finishReason, tokens, parts }
}

for (const way of NAMES) {
  describe(`the official client through a ${way} entry`, () => {
    test('texts, whole and streamed, with usage', async () => {
      const config = { systemInstruction: 'Be brief.', temperature: 0.5, maxOutputTokens: 100 }
      const whole = await sdk.models.generateContent({ model: `${way}-echo`, contents: 'hello there', config })
      assert.equal(whole.text, 'hello there')
      assert.ok((whole.usageMetadata?.candidatesTokenCount ?? 0) > 0)
      const { text, finishReason, tokens } = await streamed(`${way}-echo`, 'hello there', config)
      assert.deepEqual([text, finishReason, tokens], ['hello there', 'STOP', whole.usageMetadata?.candidatesTokenCount])
    })

    test('in the cloud’s mode, too', async () => {
      const { text } = await cloud.models.generateContent({ model: `${way}-echo`, contents: 'hello there' })
      assert.equal(text, 'hello there')
    })

    test('pictures reach the model', async () => {
      assert.equal(
        (await sdk.models.generateContent({ model: `${way}-echo`, contents: picture })).text,
        'What is this?',
      )
      assert.ok(harness.upstream()[0]?.rawBody.includes(PNG))
      assert.equal((await streamed(`${way}-echo`, picture)).text, 'What is this?')
    })

    for (const isStream of [false, true]) {
      test(`tools: calls and results, ${isStream ? 'streamed' : 'whole'}`, async () => {
        const model = `${way}-tools-2`
        const config = {
          tools: [WEATHER as never],
          toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.AUTO } },
        }
        const ask = async (contents: Content[]) => {
          if (isStream) return streamed(model, contents, config)
          const { text, candidates } = await sdk.models.generateContent({ model, contents, config })
          return { text, parts: candidates?.[0]?.content?.parts ?? [] }
        }
        const contents: Content[] = [{ role: 'user', parts: [{ text: 'Weather?' }] }]
        const first = await ask(contents)
        const calls = first.parts.flatMap(({ functionCall }) => functionCall ?? [])
        // The simulated provider of the format gives no ids, as older models do.
        const ids = new Set(calls.map(({ id }) => id))
        assert.deepEqual([calls.length, ids.size], [2, way === 'native' ? 1 : 2])
        contents.push({ role: 'model', parts: first.parts.filter(({ text }) => text !== '') })
        const results = calls.map(({ id, name }) => ({
          functionResponse: { ...(id !== undefined && { id }), name: name ?? '', response: { output: 'sunny' } },
        }))
        contents.push({ role: 'user', parts: results })
        assert.match((await ask(contents)).text ?? '', /^The tool answered: .*sunny/)
      })
    }

    test('a conversation that it keeps itself', async () => {
      const chat = sdk.chats.create({ model: `${way}-echo` })
      assert.equal((await chat.sendMessage({ message: 'one' })).text, 'one')
      let text = ''
      for await (const chunk of await chat.sendMessageStream({ message: 'two' })) text += chunk.text ?? ''
      assert.equal(text, 'two')
      assert.ok(harness.upstream().at(-1)?.rawBody.includes('one'), 'the first turn is sent again')
    })
  })
}

test('embeddings, of one text and of many', async () => {
  for (const model of ['native-embed', 'chat-embed']) {
    const { embeddings } = await sdk.models.embedContent({
      model,
      contents: ['a', 'b'],
      config: { outputDimensionality: 4 },
    })
    assert.deepEqual(
      embeddings?.map(({ values }) => values?.length),
      [4, 4],
    )
    assert.equal((await sdk.models.embedContent({ model, contents: 'a' })).embeddings?.length, 1)
  }
})

test('the list of models, page by page, and one of them', async () => {
  const names: string[] = []
  for await (const { name } of await sdk.models.list({ config: { pageSize: 5 } })) names.push(name ?? '')
  assert.ok(names.length > 10 && names.includes('models/chat-echo'))
  assert.equal((await sdk.models.get({ model: 'native-echo' })).outputTokenLimit, 4096)
})

test('tokens are counted where the provider counts', async () => {
  assert.ok(((await sdk.models.countTokens({ model: 'native-echo', contents: 'hello' })).totalTokens ?? 0) > 0)
  await assert.rejects(sdk.models.countTokens({ model: 'chat-echo', contents: 'hello' }), { status: 404 })
})

test('a refusal is its own error, with the status and our words', async () => {
  const { headers } = await newKey(harness, hard(1n))
  const poor = client(String(headers['authorization']).replace('Bearer ', ''))
  const asked = { model: 'chat-echo', contents: 'hello' }
  for (const call of [() => poor.models.generateContent(asked), () => poor.models.generateContentStream(asked)]) {
    await assert.rejects(call, (error) => {
      assert.ok(error instanceof ApiError && error.status === 402)
      assert.match(error.message, /The budget of .* does not allow this call/)
      return true
    })
  }
  assert.equal(harness.upstream().length, 0)
})

test('a stream that is cut raises', async () => {
  const steps = [{ play: 'first' as const }, 'cut' as const]
  harness.simulator.script('gpt-scripted', [{ tweak: { text: 'one two' }, stream: { steps } }])
  await assert.rejects(streamed('scripted-chat', 'hello'), { status: 502 })
})
