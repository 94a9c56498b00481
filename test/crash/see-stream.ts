/** What a client has seen of a stream, as far as it came. */
export interface SeenStream {
  /** A part of the model's answer, however small. */
  content: boolean
  /** The last event of its format, or an error as the last frame; null: the connection died before either. */
  ended: 'finished' | 'failed_mid_stream' | null
  /** Of the error. */
  code: string | null
  /** Of `x_gateway` in the last chunk. */
  costUsd: string | null
}

/** Of every format, as far as it matters here. */
interface Frame {
  type?: string
  choices?: { delta?: { content?: string } }[]
  delta?: string | { text?: string }
  x_gateway?: { cost_usd: string }
  error?: { code?: string }
  response?: { error?: { code: string; message: string } | null }
}

/** Reads to the end, or until the connection dies; `leaves`: until the first content. Only whole frames count. */
export async function seeStream(body: AsyncIterable<Uint8Array>, leaves = false): Promise<SeenStream> {
  const seen: SeenStream = { content: false, ended: null, code: null, costUsd: null }
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for await (const piece of body) {
      const frames = (rest + decoder.decode(piece, { stream: true })).split('\n\n')
      rest = frames.pop() ?? ''
      for (const frame of frames) noteFrame(seen, frame)
      if (leaves && seen.content) break
    }
  } catch {
    // The connection died: what was seen until then counts.
  }
  return seen
}

const DATA = 'data: '
/** The last event of a whole answer. */
const LAST = ['message_stop', 'response.completed', 'response.incomplete']

function noteFrame(seen: SeenStream, text: string): void {
  const data = text.split('\n').find((line) => line.startsWith(DATA))
  if (data === undefined) return
  if (data === `${DATA}[DONE]`) {
    seen.ended = 'finished'
    return
  }
  const frame = JSON.parse(data.slice(DATA.length)) as Frame
  if (hasContent(frame)) seen.content = true
  if (frame.x_gateway !== undefined) seen.costUsd = frame.x_gateway.cost_usd
  if (LAST.includes(frame.type ?? '')) seen.ended = 'finished'
  if (frame.error === undefined && frame.type !== 'response.failed') return
  seen.ended = 'failed_mid_stream'
  seen.code = frame.error?.code ?? codeOfFailure(frame.response?.error?.message ?? '')
}

function hasContent({ type, choices = [], delta }: Frame): boolean {
  if (choices.some((choice) => (choice.delta?.content ?? '') !== '')) return true
  if (typeof delta === 'string') return type === 'response.output_text.delta' && delta !== ''
  return type === 'content_block_delta' && (delta?.text ?? '') !== ''
}

/** The format has no words for the faults of servers but one; the text says which it was. */
function codeOfFailure(message: string): string {
  return message.includes('could not be booked') ? 'limits_unavailable' : 'upstream_error'
}
