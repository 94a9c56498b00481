import { GatewayError } from './errors.ts'

/** As callers know the header; Node has it in lower case. */
const HEADER = 'Idempotency-Key'
const LONGEST_KEY = 255

/** How long a key stands for one call, from its start. */
export const IDEMPOTENCY_MS = 24 * 60 * 60 * 1000

/** What makes two requests the same: one gateway key, one value of the header, one body. */
export interface IdempotentBody {
  idempotencyKey: string
  /** SHA-256 of the raw body, hexadecimal. */
  bodyHash: string
}

/** The call that a key stands for; a call that ended without a charge is none. */
export interface ClaimedCall {
  requestId: string
  bodyHash: string
  /** `uncertain`: it was sent to a provider and its end is not known. */
  state: 'running' | 'answered' | 'uncertain'
}

/** The value of the header, or what is wrong with it. Null without the header. */
export function checkedIdempotencyKey(value: string | undefined): string | null {
  if (value === undefined) return null
  if (value.length > LONGEST_KEY || !/^[\x21-\x7e]+$/.test(value)) {
    throw new GatewayError(
      'invalid_request',
      `The header ${HEADER} takes 1 to ${LONGEST_KEY} visible ASCII characters without spaces, for example a UUID.`,
    )
  }
  return value
}

/** One text for both; a gateway key's id has no space. */
export function identityOf(keyId: string, { idempotencyKey }: IdempotentBody): string {
  return `${keyId} ${idempotencyKey}`
}

/** Throws when the key stands for another request: answering with the first one's outcome would be a lie. */
export function checkSameBody(claimed: ClaimedCall, body: IdempotentBody): void {
  if (claimed.bodyHash === body.bodyHash) return
  throw conflict(claimed, `This ${HEADER} was used with another body within 24 hours. Send a new key with a new body.`)
}

/** What a request gets whose outcome cannot be shown again: it must not be charged a second time. */
export function refusalOf(claimed: ClaimedCall): GatewayError {
  const { requestId } = claimed
  const advice = 'Send a new key to make the call again.'
  switch (claimed.state) {
    case 'answered':
      return conflict(
        claimed,
        `The call with this ${HEADER} was completed and charged as request ${requestId}; its answer is no longer kept. ${advice}`,
      )
    case 'uncertain':
      return conflict(
        claimed,
        `The call with this ${HEADER} was interrupted as request ${requestId} and may have been charged by the provider. ${advice}`,
      )
    case 'running':
      return conflict(
        claimed,
        `The call with this ${HEADER} is running as request ${requestId} in another process, or has just ended there.`,
      )
  }
}

function conflict({ requestId, state }: ClaimedCall, message: string): GatewayError {
  return new GatewayError('conflict', message, {
    details: { header: HEADER, request_id: requestId, state },
    // A call that runs elsewhere may fail, and then frees its key.
    isFinal: state !== 'running',
  })
}
