import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, describe, test } from 'node:test'
import { hello, startHarness, until } from '../harness.ts'
import { pythonSession } from '../python-session.ts'
import { startReceiver } from './otlp-receiver.ts'

const page = readFileSync('docs/running/tracing-receivers.md', 'utf8')
const parser = pythonSession()
const receiver = await startReceiver(parser)
after(() => receiver.close())

/** The address and the headers that each receiver documents. */
const DOCUMENTED: Record<string, [address: string, headers: Record<string, string>]> = {
  Phoenix: ['http://localhost:6006/v1/traces', { authorization: 'Bearer YOUR_API_KEY' }],
  Langfuse: [
    'https://cloud.langfuse.com/api/public/otel/v1/traces',
    {
      authorization: `Basic ${Buffer.from('pk-lf-1234:sk-lf-5678').toString('base64')}`,
      'x-langfuse-ingestion-version': '4',
    },
  ],
  Datadog: ['https://otlp.datadoghq.com/v1/traces', { 'dd-api-key': 'YOUR_API_KEY', 'dd-otlp-source': 'llmobs' }],
  Honeycomb: ['https://api.honeycomb.io/v1/traces', { 'x-honeycomb-team': 'YOUR_INGEST_KEY' }],
  'Any OpenTelemetry Collector': ['http://collector:4318/v1/traces', {}],
}

/** The variables of a section, as they would be pasted. */
function pasted(section: string): Record<string, string> {
  const block = new RegExp(`^## ${section}\\n\\n\`\`\`sh\\n(.*?)\`\`\``, 'ms').exec(page)?.[1] ?? assert.fail(section)
  const lines = block.trim().split('\n')
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
}

test('every section of the page is tried', () => {
  const sections = [...page.matchAll(/^## (.*)$/gm)].map(([, name]) => name)
  assert.deepEqual(sections, Object.keys(DOCUMENTED))
})

describe('with the settings of the page spans arrive as documented at', () => {
  for (const [section, [address, headers]] of Object.entries(DOCUMENTED)) {
    test(section, async (context) => {
      if (parser.skips(context)) return
      const { origin, pathname } = new URL(address)
      const variables = Object.entries(pasted(section)).map(([name, value]) => {
        if (!name.endsWith('_ENDPOINT')) return [name, value]
        assert.equal(new URL(value).origin, origin)
        return [name, value.replace(origin, receiver.url)]
      })
      const asked = {
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
        OTEL_BSP_SCHEDULE_DELAY: '5',
        STREAMING: 'on',
      }
      const harness = await startHarness({ environment: { ...asked, ...Object.fromEntries(variables) } })
      context.after(() => harness.stop())
      const answer = await harness.chat(hello('gpt-sim-echo', { stream: true }))
      const id = answer.headers.get('x-gateway-request-id')
      const found = async () =>
        (await receiver.spans(pathname)).find(({ attributes }) => attributes['switchyard.request_id'] === id)
      await until(async () => (await found()) !== undefined, 'the span arrives')
      assert.match(String((await found())?.attributes['gen_ai.output.messages']), /"content":"hello"/)
      const { headers: got, path } = receiver.bodies.at(-1) ?? assert.fail()
      assert.equal(path, pathname)
      for (const [name, value] of Object.entries({ ...headers, 'content-type': 'application/x-protobuf' }))
        assert.equal(got[name], value, name)
    })
  }
})
