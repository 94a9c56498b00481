/** Up to here a body is handed to the socket whole. */
const WHOLE_BYTES = 2 * 1024 * 1024
const SLICE_BYTES = 256 * 1024

/** Whether a body is sent in slices: TLS would encrypt all of it at once and block the thread. */
export function isSliced(body: Uint8Array | string | null): body is Uint8Array {
  return body instanceof Uint8Array && body.length > WHOLE_BYTES
}

/** The next slice is written when the socket has sent the one before. */
export function* slicesOf(body: Uint8Array): Generator<Uint8Array> {
  for (let begin = 0; begin < body.length; begin += SLICE_BYTES) yield body.subarray(begin, begin + SLICE_BYTES)
}
