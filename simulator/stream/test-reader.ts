import { type JsonObject, objectOrEmpty, objectsIn } from '../json.ts'
import type { Client } from '../test-client.ts'

export interface ReadStream {
  status: number
  headers: Headers
  text: string
  events: { event: string | null; data: string }[]
  /** The data that is JSON. */
  chunks: JsonObject[]
  /** The sizes of the pieces, as they were read. */
  reads: number[]
  /** Whether the body ended properly. */
  isWhole: boolean
}

/** Reads a stream to its end or break, by rules of its own so that it cannot share a mistake. */
export async function readStream(response: Response): Promise<ReadStream> {
  const pieces: Uint8Array[] = []
  let isWhole = true
  try {
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) pieces.push(piece)
  } catch {
    isWhole = false
  }
  const text = Buffer.concat(pieces).toString()
  const events = text
    .replaceAll(/\r\n?/g, '\n')
    .split('\n\n')
    .map((block) => ({ event: field(block, 'event'), data: field(block, 'data') }))
    .filter((event): event is { event: string | null; data: string } => event.data !== null)
  const chunks = events.filter(({ data }) => data.startsWith('{')).map(({ data }) => JSON.parse(data) as JsonObject)
  const reads = pieces.map(({ length }) => length)
  return { status: response.status, headers: response.headers, text, events, chunks, reads, isWhole }
}

function field(block: string, name: string): string | null {
  return new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1] ?? null
}

export async function stream(client: Client, family: 'openai' | 'anthropic', body: object): Promise<ReadStream> {
  return readStream(await client.open(family, { max_tokens: 2000, stream: true, ...body }))
}

/** The choices of a stream put together again, in the shape of the whole answer's. */
export function choicesOf(chunks: JsonObject[]): JsonObject[] {
  const choices: { message: JsonObject; finish_reason: unknown; logprobs: unknown[] }[] = []
  for (const choice of chunks.flatMap((chunk) => objectsIn(chunk['choices']))) {
    const index = Number(choice['index'])
    choices[index] ??= { message: {}, finish_reason: null, logprobs: [] }
    const built = choices[index]
    const { tool_calls, ...delta } = objectOrEmpty(choice['delta'])
    for (const [name, value] of Object.entries(delta)) built.message[name] = joined(built.message[name], value)
    for (const call of objectsIn(tool_calls)) addCall(built.message, call)
    built.logprobs.push(...objectsIn(objectOrEmpty(choice['logprobs'])['content']))
    built.finish_reason ??= choice['finish_reason']
  }
  return choices as unknown as JsonObject[]
}

function addCall(message: JsonObject, { index, ...call }: JsonObject): void {
  message['tool_calls'] ??= []
  const calls = message['tool_calls'] as JsonObject[]
  calls[Number(index)] = joined(calls[Number(index)], call) as JsonObject
}

function joined(old: unknown, added: unknown): unknown {
  if (typeof old === 'string' && typeof added === 'string') return old + added
  if (typeof added !== 'object' || added === null || typeof old !== 'object') return added ?? old ?? null
  const merged = { ...(old as JsonObject) }
  for (const [name, value] of Object.entries(added)) merged[name] = joined(merged[name], value)
  return merged
}

/** The message of a stream put together again. */
export function messageOf(chunks: JsonObject[]): JsonObject {
  let message: JsonObject = {}
  const blocks: JsonObject[] = []
  for (const { type, index, ...event } of chunks) {
    const block = blocks[Number(index)]
    if (type === 'message_start') message = objectOrEmpty(event['message'])
    if (type === 'content_block_start') blocks[Number(index)] = { ...objectOrEmpty(event['content_block']), json: '' }
    if (type === 'content_block_delta' && block) {
      const { type: _, partial_json: json = '', ...delta } = objectOrEmpty(event['delta'])
      Object.assign(block, joined(block, { ...delta, json }))
    }
    if (type !== 'message_delta') continue
    const usage = { ...objectOrEmpty(message['usage']), ...objectOrEmpty(event['usage']) }
    message = { ...message, ...objectOrEmpty(event['delta']), usage }
  }
  const content = blocks.map(({ json, ...block }) =>
    json === '' ? block : { ...block, input: JSON.parse(String(json)) },
  )
  return { ...message, content }
}
