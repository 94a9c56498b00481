import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { KEY } from '../../harness.ts'
import { pythonSession } from '../../python-session.ts'
import { NATIVE, type ResponsesWorld, startResponses } from './world.ts'

/** `case` keeps what each one returned or raised. */
const SCRIPT = `
import os
import openai
from pydantic import BaseModel

client = openai.OpenAI(base_url=os.environ["BASE_URL"], api_key=os.environ["KEY"], max_retries=0)
prefix = os.environ["PREFIX"]
parameters = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": False}
tools = [{"type": "function", "name": "weather", "description": "now", "parameters": parameters, "strict": True}]
result = {}


class Place(BaseModel):
    city: str


def case(name, run):
    try:
        result[name] = run()
    except Exception as error:
        result[name] = {"raised": type(error).__name__, "status": getattr(error, "status_code", None)}


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
    output = {"type": "function_call_output", "call_id": call.call_id, "output": "four degrees"}
    items = [item.model_dump(exclude_none=True) for item in first.output]
    return client.responses.create(model=f"{prefix}-sim-tools", input=[question, *items, output], tools=tools).output_text


case("whole", lambda: client.responses.create(model=f"{prefix}-sim-echo", input="one two").model_dump(mode="json"))
case("streamed", lambda: streamed("sim-echo"))
case("loop", loop)
case("parsed", lambda: client.responses.parse(model=f"{prefix}-structured", input="x", text_format=Place).output_parsed.model_dump())
case("bad", lambda: client.responses.create(model=f"{prefix}-sim-400", input="x"))
case("limited", lambda: client.responses.create(model=f"{prefix}-sim-429-noretry", input="x", stream=True))
case("broken", lambda: raw("sim-after-error"))
case("cut", lambda: raw("sim-after-cut"))
`

const session = pythonSession()
const worlds: { native?: ResponsesWorld; translated?: ResponsesWorld } = {}
before(async () => {
  if (session.isMissing) return
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
      if (session.skips(context)) return
      const results = await session.run(SCRIPT, { BASE_URL: `${worlds[world]?.url}/v1`, KEY, PREFIX: prefix })
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
    })
  }
})
