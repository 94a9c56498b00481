import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { type Json, KEY } from '../../harness.ts'
import { pythonWith } from '../../python-package.ts'
import { NATIVE, type ResponsesWorld, startResponses } from './world.ts'

/** One process runs all cases; `case` keeps what each one returned or raised. */
const SCRIPT = `
import json, os
import openai
from pydantic import BaseModel

client = openai.OpenAI(base_url=os.environ["BASE_URL"], api_key=os.environ["KEY"], max_retries=0)
prefix = os.environ["PREFIX"]
parameters = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": False}
tools = [{"type": "function", "name": "weather", "description": "now", "parameters": parameters, "strict": True}]
results = {}


class Place(BaseModel):
    city: str


def case(name, run):
    try:
        results[name] = run()
    except Exception as error:
        results[name] = {"raised": type(error).__name__, "status": getattr(error, "status_code", None)}


def streamed(model, **options):
    types = []
    with client.responses.stream(model=f"{prefix}-{model}", input="one two", **options) as stream:
        for event in stream:
            types.append(event.type)
        return {"types": types, "final": stream.get_final_response().model_dump(mode="json")}


def raw(model):
    events = list(client.responses.create(model=f"{prefix}-{model}", input="x", stream=True))
    return {"types": [event.type for event in events], "last": events[-1].model_dump(mode="json")}


def loop():
    question = {"role": "user", "content": "Weather?"}
    first = client.responses.create(model=f"{prefix}-sim-tools", input=[question], tools=tools)
    call = [item for item in first.output if item.type == "function_call"][0]
    result = {"type": "function_call_output", "call_id": call.call_id, "output": "four degrees"}
    items = [item.model_dump(exclude_none=True) for item in first.output]
    return client.responses.create(model=f"{prefix}-sim-tools", input=[question, *items, result], tools=tools).output_text


case("whole", lambda: client.responses.create(model=f"{prefix}-sim-echo", input="one two").model_dump(mode="json"))
case("streamed", lambda: streamed("sim-echo"))
case("loop", loop)
case("parsed", lambda: client.responses.parse(model=f"{prefix}-structured", input="x", text_format=Place).output_parsed.model_dump())
case("bad", lambda: client.responses.create(model=f"{prefix}-sim-400", input="x"))
case("limited", lambda: client.responses.create(model=f"{prefix}-sim-429-noretry", input="x", stream=True))
case("broken", lambda: raw("sim-after-error"))
case("cut", lambda: raw("sim-after-cut"))
print(json.dumps(results))
`

const found = pythonWith('openai')
const worlds: { native?: ResponsesWorld; translated?: ResponsesWorld } = {}
before(async () => {
  if ('missing' in found) return
  worlds.native = await startResponses({ config: NATIVE })
  worlds.translated = await startResponses()
})
after(async () => {
  await worlds.native?.stop()
  await worlds.translated?.stop()
})

describe("Python's openai package", () => {
  for (const [world, prefix] of [
    ['native', 'gpt'],
    ['translated', 'gpt'],
    ['translated', 'claude'],
  ] as const) {
    test(`speaks Responses with ${prefix}, ${world}`, async (context) => {
      if ('missing' in found) {
        if (process.env['CI']) assert.fail(found.missing)
        return context.skip(found.missing)
      }
      const env = { PATH: process.env['PATH'] ?? '', BASE_URL: `${worlds[world]?.url}/v1`, KEY, PREFIX: prefix }
      const { stdout } = await promisify(execFile)(found.python, ['-c', SCRIPT], { env, maxBuffer: 1 << 24 })
      const results: Json = JSON.parse(stdout)
      assert.deepEqual([results.whole.status, results.whole.output.at(-1).content[0].text], ['completed', 'one two'])
      const { types, final } = results.streamed
      assert.deepEqual([final.status, final.output.at(-1).content[0].text], ['completed', 'one two'])
      assert.deepEqual(final.usage, results.whole.usage)
      assert.deepEqual([types[0], types.at(-1)], ['response.created', 'response.completed'])
      assert.match(results.loop, /four degrees/)
      assert.equal(typeof results.parsed.city, 'string')
      assert.deepEqual(results.bad, { raised: 'BadRequestError', status: 400 })
      assert.deepEqual(results.limited, { raised: 'RateLimitError', status: 429 })
      for (const { types: seen, last } of [results.broken, results.cut]) {
        assert.deepEqual([seen.at(-1), last.response.status], ['response.failed', 'failed'])
        assert.equal(last.response.error.code, 'server_error')
      }
      return
    })
  }
})
