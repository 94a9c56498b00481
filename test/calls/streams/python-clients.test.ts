import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { type Harness, type Json, KEY, startHarness, until } from '../../harness.ts'
import { pythonSession } from '../../python-session.ts'

/** LangChain brings the official package along. `case` keeps what each one returned or raised. */
const SCRIPT = `
import json, os
import openai
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI

key = os.environ["KEY"]
address, hasty_address = os.environ["BASE_URL"], os.environ["HASTY_URL"]
client = openai.OpenAI(base_url=address, api_key=key, max_retries=0)
hasty = openai.OpenAI(base_url=hasty_address, api_key=key, max_retries=0)
messages = [{"role": "user", "content": "Grüße aus 東京 !"}]
parameters = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
tools = [
    {"type": "function", "function": {"name": name, "description": "now", "parameters": parameters}}
    for name in ["weather", "clock"]
]
results = {}


def langchain(model, url=address):
    return ChatOpenAI(model=model, api_key=key, base_url=url, max_retries=0, stream_usage=True)


def case(name, run):
    state = {"text": ""}
    try:
        state["value"] = run(state)
    except Exception as error:
        state["raised"] = type(error).__mro__[0].__name__
        state["is_api_error"] = isinstance(error, openai.APIError)
        state["code"] = getattr(error, "code", None)
        state["status"] = getattr(error, "status_code", None)
        state["message"] = str(error)
    results[name] = state


def raw(state, model, of=client, **options):
    chunks = []
    for chunk in of.chat.completions.create(model=model, messages=messages, stream=True, **options):
        chunks.append(chunk)
        for choice in chunk.choices:
            state["text"] += choice.delta.content or ""
    return {
        "models": sorted({chunk.model for chunk in chunks}),
        "usage": [chunk.usage.model_dump(exclude_unset=True) for chunk in chunks if chunk.usage],
        "finish": [choice.finish_reason for chunk in chunks for choice in chunk.choices if choice.finish_reason],
    }


def helped(state, model, of=client, **options):
    with of.chat.completions.stream(model=model, messages=messages, **options) as stream:
        for event in stream:
            if event.type == "content.delta":
                state["text"] += event.delta
        choice = stream.get_final_completion().choices[0]
    calls = [[call.function.name, json.loads(call.function.arguments)] for call in choice.message.tool_calls or []]
    return {"finish": choice.finish_reason, "calls": calls}


def gathered(state, model, question, of=address, bound=None):
    whole = None
    chat = langchain(model, of)
    for chunk in (chat.bind_tools(bound) if bound else chat).stream(question):
        state["text"] += chunk.text if isinstance(chunk.text, str) else chunk.text()
        whole = chunk if whole is None else whole + chunk
    return whole


def tool_loop(state, model):
    question = HumanMessage("Weather?")
    called = gathered(state, model, [question], bound=tools)
    results = [ToolMessage("four degrees", tool_call_id=call["id"]) for call in called.tool_calls]
    gathered(state, model, [question, called, *results], bound=tools)
    return [[call["name"], call["args"]] for call in called.tool_calls]


for prefix in ["gpt", "claude"]:
    echo, two = f"{prefix}-sim-echo", f"{prefix}-sim-tools-2"
    usage = {"stream_options": {"include_usage": True}}
    whole = client.chat.completions.create(model=echo, messages=messages)
    results[f"{prefix} whole"] = whole.usage.model_dump(exclude_unset=True)
    case(f"{prefix} text", lambda state: raw(state, echo, **usage))
    case(f"{prefix} text without usage", lambda state: raw(state, echo))
    case(f"{prefix} helper", lambda state: helped(state, echo))
    case(f"{prefix} tools", lambda state: helped(state, two, tools=tools))
    case(f"{prefix} late", lambda state: raw(state, f"{prefix}-sim-before-trickle", hasty))
    case(f"{prefix} langchain text", lambda state: dict(gathered(state, echo, "ping").usage_metadata))
    case(f"{prefix} langchain tools", lambda state: tool_loop(state, two))
    case(f"{prefix} langchain late", lambda state: gathered(state, f"{prefix}-sim-before-trickle", "x", hasty_address).id)
    for fault in ["error", "end", "cut", "reset"]:
        case(f"{prefix} raw {fault}", lambda state: raw(state, f"{prefix}-raw-sim-after-{fault}"))
        case(f"{prefix} helper {fault}", lambda state: helped(state, f"{prefix}-help-sim-after-{fault}"))
        case(f"{prefix} langchain {fault}", lambda state: gathered(state, f"{prefix}-lc-sim-after-{fault}", "x").id)
        case(f"{prefix} before {fault}", lambda state: raw(state, f"{prefix}-raw-sim-before-{fault}"))

result = results
`

const FAULTS = { error: 'provider_overloaded', end: 'upstream_error', cut: 'upstream_error', reset: 'upstream_error' }
const CALLED = ['weather', 'clock']

const session = pythonSession()
let harness: Harness
/** Its heads do not wait for content, and every silence is full of comments. */
let hasty: Harness
let results: Json = null
before(async () => {
  harness = await startHarness({ environment: { STREAMING: 'on' } })
  hasty = await startHarness({
    environment: { STREAMING: 'on', STREAM_HOLD_HEADERS_SECONDS: '0.005', STREAM_KEEP_ALIVE_SECONDS: '0.005' },
  })
  if (session.isMissing) return
  results = await session.run(SCRIPT, { BASE_URL: `${harness.url}/v1`, HASTY_URL: `${hasty.url}/v1`, KEY })
})
after(async () => {
  await harness?.stop()
  await hasty?.stop()
})

function resultOf(context: TestContext, name: string): Json {
  if (session.skips(context)) return null
  return results[name] ?? assert.fail(`no case ${name}`)
}

for (const prefix of ['gpt', 'claude'])
  describe(`Python's clients on streams of ${prefix}`, () => {
    test('openai reads text, with usage as asked for', (context) => {
      const { text, value, message } = resultOf(context, `${prefix} text`) ?? {}
      if (results === null) return
      assert.equal(text, 'Grüße aus 東京 !', message)
      const usage = [results[`${prefix} whole`]]
      assert.deepEqual(value, { models: [`${prefix}-sim-echo`], usage, finish: ['stop'] })
      assert.deepEqual(results[`${prefix} text without usage`].value, { ...value, usage: [] })
      assert.equal(results[`${prefix} helper`].value?.finish, 'stop', results[`${prefix} helper`].message)
    })

    test('openai puts tool calls together', (context) => {
      const { value, message } = resultOf(context, `${prefix} tools`) ?? {}
      if (results === null) return
      assert.equal(value?.finish, 'tool_calls', message)
      assert.deepEqual(
        value.calls.map(([name, input]: [string, Json]) => [name, typeof input.city]),
        CALLED.map((name) => [name, 'string']),
      )
    })

    test('LangChain reads text, usage and tool calls', (context) => {
      const { text, value, message } = resultOf(context, `${prefix} langchain text`) ?? {}
      if (results === null) return
      assert.equal(text, 'ping', message)
      assert.ok(value.input_tokens > 0 && value.output_tokens > 0)
      const tools = results[`${prefix} langchain tools`]
      assert.match(tools.text, /four degrees/, tools.message)
      assert.deepEqual(
        tools.value.map(([name, input]: [string, Json]) => [name, typeof input.city]),
        CALLED.map((name) => [name, 'string']),
      )
    })

    for (const name of ['late', 'langchain late'])
      test(`${name === 'late' ? 'openai' : 'LangChain'} takes a late head and comments`, (context) => {
        const state = resultOf(context, `${prefix} ${name}`)
        if (results !== null) assert.match(state.text, /\.$/, state.message)
      })

    for (const [fault, code] of Object.entries(FAULTS)) {
      test(`all raise on a stream's ${fault} after content`, (context) => {
        if (resultOf(context, `${prefix} raw ${fault}`) === null) return
        for (const way of ['raw', 'helper', 'langchain']) {
          const state = results[`${prefix} ${way} ${fault}`]
          assert.notEqual(state.text, '', way)
          assert.deepEqual(
            [state.is_api_error, state.code, state.status],
            [true, code, null],
            `${way}: ${state.message}`,
          )
        }
      })

      test(`openai gets a status for a stream's ${fault} before content`, (context) => {
        const state = resultOf(context, `${prefix} before ${fault}`)
        if (state === null) return
        assert.deepEqual([state.text, state.is_api_error], ['', true])
        assert.ok(state.status >= 500, state.message)
      })
    }
  })

test('no stream is left running upstream', () =>
  until(() => harness.simulator.streams.open + hasty.simulator.streams.open === 0, 'no stream runs upstream'))
