import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { accepts } from '../http/accepts-encoding.ts'
import type { Call, Reply } from '../http/call.ts'

/** Shorter ones fit into one packet or two: compressing them only costs. */
const LEAST_BYTES = 2_048

const brotli = promisify(brotliCompress)
const ENCODINGS = {
  // Made for every answer: the fast levels, which save nearly as much of JSON as the slow ones.
  br: (bytes: Buffer) =>
    brotli(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: promisify((bytes: Buffer, done: (error: Error | null, result: Buffer) => void) =>
    gzip(bytes, { level: 6 }, done),
  ),
} as const

/** The answer as its client takes it, compressed on another thread. Its version stays the same: it is that of the object. */
export async function compressed(call: Pick<Call, 'header'>, reply: Reply): Promise<Reply> {
  const bytes = Buffer.from(reply.body as string)
  if (bytes.length < LEAST_BYTES) return reply
  const accepted = call.header('accept-encoding')
  const encoding = (['br', 'gzip'] as const).find((name) => accepts(accepted, name))
  const headers = { ...reply.headers, vary: 'accept-encoding' }
  if (encoding === undefined) return { ...reply, headers, body: bytes }
  return {
    ...reply,
    headers: { ...headers, 'content-encoding': encoding },
    body: await ENCODINGS[encoding](bytes),
  }
}
