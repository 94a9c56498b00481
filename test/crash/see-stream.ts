/** What a client has seen of a stream, as far as it came. */
export interface SeenStream {
  /** A part of the model's answer, however small. */
  content: boolean
  /** `[DONE]`, or an error as the last frame; null: the connection died before either. */
  ended: 'finished' | 'failed_mid_stream' | null
  /** Of the error. */
  code: string | null
  /** Of `x_gateway` in the last chunk. */
  costUsd: string | null
}

interface Frame {
  choices?: { delta?: { content?: string } }[]
  x_gateway?: { cost_usd: string }
  error?: { code?: string }
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

function noteFrame(seen: SeenStream, frame: string): void {
  if (!frame.startsWith('data: ')) return
  if (frame === 'data: [DONE]') {
    seen.ended = 'finished'
    return
  }
  const { choices = [], x_gateway, error } = JSON.parse(frame.slice('data: '.length)) as Frame
  if (choices.some(({ delta }) => (delta?.content ?? '') !== '')) seen.content = true
  if (x_gateway !== undefined) seen.costUsd = x_gateway.cost_usd
  if (error === undefined) return
  seen.ended = 'failed_mid_stream'
  seen.code = error.code ?? null
}
