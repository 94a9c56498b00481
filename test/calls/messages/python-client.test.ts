import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, type TestContext, test } from 'node:test'
import { type Harness, type Json, KEY, startHarness } from '../../harness.ts'
import { pythonSession } from '../../python-session.ts'

/** The script has a `client`; what it puts into `result` comes back as JSON. */
const FRAME = (script: string) => `
import os
import anthropic
client = anthropic.Anthropic(base_url=os.environ["BASE_URL"], api_key=os.environ["KEY"], max_retries=0)
hello = {"max_tokens": 64, "messages": [{"role": "user", "content": "ping"}]}
weather = {"name": "weather", "description": "now", "input_schema": {
    "type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}
${script}
`

const session = pythonSession()
let harness: Harness
before(async () => {
  harness = await startHarness({ environment: { STREAMING: 'on' } })
})
beforeEach(() => harness.simulator.reset())
after(() => harness.stop())

async function python(context: TestContext, script: string): Promise<Json> {
  return session.skips(context) ? null : session.run(FRAME(script), { BASE_URL: harness.url, KEY })
}

for (const prefix of ['gpt', 'claude']) {
  describe(`Python's official package with ${prefix}`, () => {
    test('gets a whole message', async (context) => {
      const result = await python(
        context,
        `
answer = client.messages.create(model="${prefix}-sim-echo", **hello)
result = [answer.content[0].text, answer.model, answer.stop_reason, answer.usage.input_tokens > 0]`,
      )
      if (result !== null) assert.deepEqual(result, ['ping', `${prefix}-sim-echo`, 'end_turn', true])
    })

    test('streams text and tools with its helpers', async (context) => {
      const result = await python(
        context,
        `
with client.messages.stream(model="${prefix}-sim-echo", **hello) as stream:
    said = "".join(stream.text_stream)
    message = stream.get_final_message()
with client.messages.stream(model="${prefix}-sim-tools-2", tools=[weather], **hello) as stream:
    called = stream.get_final_message()
result = {"said": said, "usage": [message.usage.input_tokens > 0, message.usage.output_tokens > 0],
    "calls": [[block.name, type(block.input["city"]).__name__] for block in called.content if block.type == "tool_use"],
    "stop": [message.stop_reason, called.stop_reason]}`,
      )
      if (result === null) return
      assert.deepEqual(result, {
        said: 'ping',
        usage: [true, true],
        calls: [
          ['weather', 'str'],
          ['weather', 'str'],
        ],
        stop: ['end_turn', 'tool_use'],
      })
    })

    test('raises the right classes, also for a stream that is cut', async (context) => {
      harness.simulator.script(`${prefix}-sim-echo`, [{ stream: { steps: [{ play: 'first' }, 'cut'] } }])
      const result = await python(
        context,
        `
result = {}
for scenario in ["400", "context", "429", "500"]:
    try:
        client.messages.create(model=f"${prefix}-sim-{scenario}", **hello)
    except anthropic.APIStatusError as error:
        result[scenario] = [type(error).__name__, "prompt is too long" in str(error)]
try:
    with client.messages.stream(model="${prefix}-sim-echo", **hello) as stream:
        stream.get_final_message()
except anthropic.APIError as error:
    result["cut"] = isinstance(error, anthropic.APIStatusError)`,
      )
      if (result === null) return
      assert.deepEqual(result, {
        '400': ['BadRequestError', false],
        context: ['BadRequestError', true],
        '429': ['RateLimitError', false],
        '500': ['InternalServerError', false],
        cut: true,
      })
    })
  })
}
