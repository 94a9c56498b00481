import assert from 'node:assert/strict'
import { Agent, type IncomingMessage, request } from 'node:http'
import type { RecordedCall, StreamStep } from '../../../simulator/simulator.ts'
import {
  type Harness,
  type HarnessOptions,
  hello,
  type Json,
  KEY,
  type Row,
  startHarness,
  until,
} from '../../harness.ts'

/** Enough for each row of a test file to have its own models, so that no circuit opens for the next one. */
const PAIRS = 90

/** One dollar a million prompt tokens, five a million answer tokens. */
const price = (provider: string, model: string) =>
  `  - { provider: ${provider}, model: ${model}, input_per_mtok: "1", output_per_mtok: "5", max_output_tokens: 4096 }`

const chain = (first: string, second: string, more: string) =>
  `{ chain: [{ ${first}, retries: 0${more} }, { ${second}, retries: 0 }] }`

/** `entry`: more fields of the first entries, as in `, timeout_ms: 50`. */
export function streamConfig(entry = '', more = ''): string {
  const pairs = Array.from({ length: PAIRS }, (_, pair) => pair)
  const routes = pairs.flatMap((pair) => {
    const [openai, anthropic] = [`provider: openai, model: gpt-${pair}`, `provider: anthropic, model: claude-${pair}`]
    return [
      `      openai-${pair}: ${chain(openai, anthropic, entry)}`,
      `      anthropic-${pair}: ${chain(anthropic, openai, entry)}`,
    ]
  })
  const prices = pairs.flatMap((pair) => [price('openai', `gpt-${pair}`), price('anthropic', `claude-${pair}`)])
  return `${more}\nworkspaces:\n  default:\n    routes:\n${routes.join('\n')}\nregistry:\n${prices.join('\n')}\n`
}

export type Family = 'openai' | 'anthropic'
export const FAMILIES: readonly Family[] = ['openai', 'anthropic']

export interface Pair {
  /** The route whose first entry is of that family. */
  route: string
  first: string
  second: string
}

/** What the caller holds of a stream. */
export interface Caller {
  /** Resolves with the head. */
  answered: Promise<IncomingMessage>
  /** Everything that came so far. */
  text(): string
  status(): number | undefined
  header(name: string): string | undefined
  trailers(): NodeJS.Dict<string>
  /** The JSON objects of all complete events. */
  chunks(): Json[]
  /** What the model said. */
  said(): string
  isDone(): boolean
  /** Resolves at the end: whether the body ended properly. */
  ended: Promise<boolean>
  pause(): void
  resume(): void
  leave(): void
}

export interface World extends Harness {
  pair(family: Family): Pair
  /** Both ways to the caller: the raw socket and `node:http`. */
  ask(body: Json, options?: AskOptions): Caller
  /** The row of a stream, complete. */
  row(caller: Caller): Promise<Row>
  /** The newest row, when nothing is in flight. */
  newestRow(): Promise<Row>
  nothingRuns(): Promise<void>
  /** The caller leaves, and the gateway has noticed. */
  leave(caller: Caller): Promise<void>
  /** Of the newest call of a model at its provider. */
  callOf(model: string): RecordedCall
}

export interface AskOptions {
  headers?: Record<string, string>
  /** Served through `node:http`. */
  isHandedOver?: boolean
  /** Nothing is read until `resume()`. */
  isPaused?: boolean
  agent?: Agent
}

export async function startWorld(options: HarnessOptions = {}): Promise<World> {
  const harness = await startHarness({
    config: streamConfig(),
    ...options,
    environment: { STREAMING: 'on', ...options.environment },
  })
  const agent = new Agent({ keepAlive: true })
  let pairs = 0
  const inFlight = async () =>
    Number(/^switchyard_requests_in_flight (\d+)$/m.exec((await harness.get('/metrics')).text)?.[1])
  const nothingRuns = async () => {
    await until(async () => (await inFlight()) === 0, 'nothing is in flight')
    await until(() => harness.simulator.streams.open === 0, 'no stream runs upstream')
  }
  return {
    ...harness,
    pair(family) {
      const pair = pairs++
      assert.ok(pair < PAIRS, 'more pairs are needed')
      const [first, second] = family === 'openai' ? ['gpt', 'claude'] : ['claude', 'gpt']
      return { route: `${family}-${pair}`, first: `${first}-${pair}`, second: `${second}-${pair}` }
    },
    ask: (body, more) => callerOf(harness.url, body, { agent, ...more }),
    async row(caller) {
      const id = (await caller.answered).headers['x-gateway-request-id']
      const row = (await harness.rows()).find((candidate) => candidate.id === id)
      assert.ok(row !== undefined, `no row ${id}`)
      return row
    },
    async newestRow() {
      await nothingRuns()
      const row = (await harness.rows()).at(-1)
      assert.ok(row !== undefined)
      return row
    },
    nothingRuns,
    async leave(caller) {
      caller.leave()
      await caller.ended
      // The end of its connection is read before what is sent after it.
      for (let turn = 0; turn < 3; turn++) await harness.get('/healthz')
    },
    callOf(model) {
      const call = harness.simulator.calls.findLast((candidate) => candidate.model === model)
      assert.ok(call !== undefined, `${model} was not called`)
      return call
    },
    async stop() {
      agent.destroy()
      await harness.stop()
    },
  }
}

export function callerOf(url: string, body: Json, options: AskOptions): Caller {
  const { headers = {}, isHandedOver = false, isPaused = false, agent } = options
  const sent = JSON.stringify({ ...hello('-'), stream: true, max_tokens: 2_000, ...body })
  const { promise: answered, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const { promise: ended, resolve: end } = Promise.withResolvers<boolean>()
  answered.catch(() => end(false))
  let response: IncomingMessage | undefined
  let text = ''
  const outgoing = request(`${url}/v1/chat/completions`, {
    method: 'POST',
    ...(agent === undefined ? {} : { agent }),
    headers: {
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(sent),
      // Not plain: node:http serves it.
      ...(isHandedOver ? { expect: '100-continue' } : {}),
      ...headers,
    },
  })
  outgoing.on('error', reject)
  outgoing.on('response', (arrived) => {
    response = arrived
    arrived.on('error', () => end(false)).on('end', () => end(arrived.complete))
    arrived.on('close', () => end(arrived.complete))
    arrived.setEncoding('utf8')
    if (!isPaused) read()
    resolve(arrived)
  })
  outgoing.end(sent)
  function read(): void {
    response?.on('data', (piece: string) => {
      text += piece
    })
  }
  const chunks = () => chunksOf(text)
  return {
    answered,
    ended,
    text: () => text,
    status: () => response?.statusCode,
    header: (name) => response?.headers[name] as string | undefined,
    trailers: () => response?.trailers ?? {},
    chunks,
    said: () => saidIn(chunks()),
    isDone: () => text.includes('data: [DONE]'),
    pause: () => response?.pause(),
    resume() {
      read()
      response?.resume()
    },
    leave: () => outgoing.destroy(),
  }
}

export function chunksOf(text: string): Json[] {
  return text
    .slice(0, text.lastIndexOf('\n\n') + 1)
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)))
}

export function saidIn(chunks: Json[]): string {
  return chunks.map((chunk) => chunk.choices?.[0]?.delta?.content ?? '').join('')
}

/** More than the buffers of all connections hold, even where the system lets them grow. */
export const FLOOD: StreamStep[] = [
  { play: 'first' },
  {
    send: {
      data: {
        ...{ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm' },
        choices: [{ index: 0, delta: { content: 'word '.repeat(400) }, finish_reason: null }],
      },
    },
    times: 20_000,
  },
  { play: 'done' },
]
export const FLOOD_CHARACTERS = 20_000 * 2_000

/** The error frame at its end, without which a cut would pass for an end. */
export function cutOf(caller: Caller): Json {
  const chunks = caller.chunks()
  const { error } = chunks.at(-1) ?? {}
  assert.ok(error !== undefined, `no error frame: ${caller.text().slice(-300)}`)
  assert.equal(caller.isDone(), false, 'a cut stream ends without [DONE]')
  for (const chunk of chunks) for (const choice of chunk.choices ?? []) assert.equal(choice.finish_reason, null)
  return error
}

export function attemptsOf(row: Row): Json[] {
  return JSON.parse(String(row['attempts']))
}
