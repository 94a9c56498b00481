import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withModel } from '../../src/calls/model-path/with-model.ts'
import { endpointNamed } from '../../src/endpoints/endpoints.ts'
import { fc } from '../property.ts'
import { DRAWS, goThrough } from './whole-request.ts'

/** A million before a release; as many as a suite can afford otherwise. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 2_000)

const odd = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(null, '', 0, -1, 1e300, [], {}, [[]], 'AUTO', true))
const orOdd = <T>(usual: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 60, arbitrary: usual as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: odd })
const text = orOdd(fc.constantFrom('', ' ', 'a', 'hello', '日本', 'QQ=='))
const id = orOdd(fc.constantFrom('t1', 't2', 'functions.f:0', 'x'.repeat(60)))
const name = orOdd(fc.constantFrom('f', 'g', 'with blanks', `mcp__${'a'.repeat(90)}`))
/** Ours, ours but spoilt, and a provider's. */
const signature = orOdd(fc.constantFrom('c3d5MS4=', 'c3d5MS5hYmM=', 'c2ln', ''))

/** Each name in one of its two spellings, or in both. */
const spelled = (fields: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(
    Object.fromEntries(
      Object.entries(fields).flatMap(([each, value]) => {
        const other = each.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
        return other === each ? [[each, value]] : [each, other].map((spelling) => [spelling, value])
      }),
    ),
    { requiredKeys: [] },
  )
const kind = <Fields extends Record<string, fc.Arbitrary<unknown>>>(fields: Fields) => orOdd(fc.record(fields))
const blob = fc.record({
  mimeType: orOdd(fc.constantFrom('image/png', 'audio/wav', 'application/pdf', 'text/plain', 'video/mp4')),
  data: text,
})
const called = fc.record({ id, name, args: orOdd(fc.constantFrom({}, { a: 1 })) }, { requiredKeys: ['name'] })
const result = fc.record(
  { id, name, response: orOdd(fc.constantFrom({ output: 'x' }, { error: 'no' }, {})), parts: odd },
  { requiredKeys: ['name', 'response'] },
)
const part = fc.oneof(
  { weight: 6, arbitrary: kind({ text }) },
  { weight: 2, arbitrary: kind({ text, thought: orOdd(fc.boolean()), thoughtSignature: signature }) },
  { weight: 2, arbitrary: kind({ inlineData: orOdd(blob) }) },
  { weight: 1, arbitrary: kind({ fileData: orOdd(fc.record({ fileUri: orOdd(fc.webUrl()), mimeType: text })) }) },
  { weight: 3, arbitrary: kind({ functionCall: orOdd(called), thoughtSignature: signature }) },
  { weight: 3, arbitrary: kind({ functionResponse: orOdd(result) }) },
  { weight: 1, arbitrary: kind({ executableCode: odd }) },
  {
    weight: 1,
    arbitrary: spelled({ text, inlineData: blob, functionCall: called, functionResponse: result, videoMetadata: odd }),
  },
)
const content = fc.record(
  { role: orOdd(fc.constantFrom('user', 'user', 'model', 'function')), parts: orOdd(fc.array(part, { maxLength: 4 })) },
  { requiredKeys: ['parts'] },
)
/** A call and its result: what chance alone would hardly find. */
const turn = fc.tuple(name, id, signature).map(([each, call, signed]) => [
  { role: 'model', parts: [{ functionCall: { name: each, id: call, args: {} }, thoughtSignature: signed }] },
  { role: 'user', parts: [{ functionResponse: { name: each, id: call, response: { output: 'x' } } }] },
])
const said = fc.constant([{ role: 'user', parts: [{ text: 'hello' }] }])
const contents = fc
  .array(fc.oneof(turn, said, fc.array(orOdd(content), { maxLength: 2 })), { minLength: 1, maxLength: 3 })
  .map((turns) => turns.flat())

const schema = orOdd(fc.constantFrom({ type: 'OBJECT', properties: { a: { type: 'STRING', nullable: true } } }, {}))
const declared = spelled({ name, description: text, parameters: schema, parametersJsonSchema: schema })
const tool = fc.oneof(
  { weight: 8, arbitrary: fc.record({ functionDeclarations: orOdd(fc.array(orOdd(declared), { maxLength: 3 })) }) },
  { weight: 1, arbitrary: spelled({ googleSearch: odd, codeExecution: odd, functionDeclarations: odd }) },
)
const numbers = orOdd(fc.oneof(fc.double(), fc.nat(9_000)))
const config = spelled({
  ...{ maxOutputTokens: numbers, temperature: numbers, topP: numbers, topK: numbers, seed: numbers },
  ...{ candidateCount: orOdd(fc.constant(1)), stopSequences: orOdd(fc.array(text, { maxLength: 6 })) },
  responseMimeType: orOdd(fc.constantFrom('text/plain', 'application/json')),
  ...{ responseSchema: schema, responseJsonSchema: schema, responseModalities: orOdd(fc.constant(['TEXT'])) },
  thinkingConfig: orOdd(
    spelled({ thinkingLevel: orOdd(fc.constantFrom('LOW', 'HIGH')), thinkingBudget: numbers, includeThoughts: odd }),
  ),
  ...{ speechConfig: fc.constant(null), newer: odd },
})
const mode = orOdd(fc.constantFrom('AUTO', 'ANY', 'NONE', 'VALIDATED', 'X'))
const choice = spelled({ mode, allowedFunctionNames: orOdd(fc.array(name, { maxLength: 2 })) })
const whole = fc.record(
  {
    contents: orOdd(contents),
    systemInstruction: orOdd(fc.oneof(text, content)),
    tools: orOdd(fc.array(tool, { maxLength: 2 })),
    toolConfig: orOdd(fc.record({ functionCallingConfig: orOdd(choice) })),
    generationConfig: orOdd(config),
    safetySettings: orOdd(fc.constant([])),
    serviceTier: orOdd(fc.constantFrom('standard', 'flex')),
    cachedContent: fc.constantFrom(undefined, undefined, undefined, null, 'cachedContents/x', 5),
    labels: odd,
    model: orOdd(fc.constant('models/other')),
    newer: odd,
  },
  { requiredKeys: ['contents'] },
)
const embedded = fc.record(
  {
    content: orOdd(content),
    model: orOdd(fc.constant('models/other')),
    taskType: text,
    title: text,
    outputDimensionality: numbers,
  },
  { requiredKeys: ['content'] },
)
const BODIES: Record<string, fc.Arbitrary<unknown>> = {
  generate_content: whole,
  count_content_tokens: fc.oneof(whole, fc.record({ generateContentRequest: orOdd(whole) })),
  embed_content: embedded,
  batch_embed_contents: fc.record({ requests: orOdd(fc.array(orOdd(embedded), { maxLength: 3 })) }),
}

for (const [name, body] of Object.entries(BODIES)) {
  const endpoint = endpointNamed(name)
  test(`${RUNS} random bodies to ${endpoint.path} are translated or refused in words`, () => {
    let accepted = 0
    const property = fc.property(orOdd(body), fc.boolean(), fc.nat(DRAWS - 1), (value, isStream, draw) => {
      const arrive = (bytes: Buffer) => Buffer.concat(withModel([bytes], { model: 'fast', isStream }))
      if (goThrough(value, endpoint, draw, arrive)) accepted++
    })
    fc.assert(property, { numRuns: RUNS })
    assert.ok(accepted > RUNS / 40, `only ${accepted} were accepted`)
  })
}
