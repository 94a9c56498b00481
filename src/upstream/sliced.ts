/** Up to here a body is handed to the socket whole: with TLS that takes 1 to 2 ms. */
const WHOLE_BYTES = 2 * 1024 * 1024
const SLICE_BYTES = 256 * 1024

/** Whether a body is to be sent by and by, because all at once it would be encrypted all at once: 32 MB in 14 to 40 ms. */
export function isSliced(body: Uint8Array | string | null): body is Uint8Array {
  return body instanceof Uint8Array && body.length > WHOLE_BYTES
}

/** The socket asks for the next slice when it has sent the one before; then no turn takes more than 4 ms. */
export function* slicesOf(body: Uint8Array): Generator<Uint8Array> {
  for (let begin = 0; begin < body.length; begin += SLICE_BYTES) yield body.subarray(begin, begin + SLICE_BYTES)
}
