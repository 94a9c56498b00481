import { GatewayError } from './errors.ts'
import { exactUsd, type Picodollars } from './pricing/price.ts'
import { type Named, named, type Worded, worded } from './wording/worded.ts'

/** The spelling for callers; Node uses lower case. */
const HEADER = 'Idempotency-Key'
const NAMED_HEADER = named(HEADER)
const LONGEST_KEY = 255

/** How long a key is reserved, from the start of its call. */
export const IDEMPOTENCY_MS = 24 * 60 * 60 * 1000

/** What makes two requests the same: gateway key, header value, endpoint, body. */
export interface IdempotentBody {
  idempotencyKey: string
  /** SHA-256 of the raw body, hexadecimal. */
  bodyHash: string
  /** What the ids of its endpoint's calls begin with. */
  idPrefix: string
}

/** The call that reserved a key. A call that ended without a charge reserves nothing. */
export interface ClaimedCall {
  requestId: string
  bodyHash: string
  /** `uncertain`: it was sent to a provider and its outcome is unknown. */
  state: 'running' | 'answered' | 'uncertain'
  /** Of a stream that did not come to its end: what it cost; null: its price is unknown. */
  cut?: { picodollars: Picodollars | null }
}

/** The value of the header, or an error. Null without the header. */
export function checkedIdempotencyKey(value: string | undefined): string | null {
  if (value === undefined) return null
  if (value.length > LONGEST_KEY || !/^[\x21-\x7e]+$/.test(value)) {
    throw new GatewayError(
      'invalid_request',
      worded`The header ${NAMED_HEADER} takes 1 to ${LONGEST_KEY} visible ASCII characters without spaces, for example a UUID.`,
    )
  }
  return value
}

/** One lookup text for both; a gateway key's id has no space. */
export function identityOf(keyId: string, { idempotencyKey }: IdempotentBody): string {
  return `${keyId} ${idempotencyKey}`
}

/** Throws when the key was used for another request, because the first answer would be wrong for this one. */
export function checkSameBody(claimed: ClaimedCall, body: IdempotentBody): void {
  if (claimed.bodyHash === body.bodyHash && claimed.requestId.startsWith(body.idPrefix)) return
  const message = worded`This ${NAMED_HEADER} was used with a different body or endpoint within the last 24 hours. Send a new key.`
  throw conflict(claimed, message)
}

/** The error for a request whose outcome cannot be replayed: it must not be charged twice. */
export function refusalOf(claimed: ClaimedCall): GatewayError {
  const { requestId } = claimed
  const id = named(requestId)
  const advice = worded`Send a new key to repeat the call.`
  switch (claimed.state) {
    case 'answered':
      if (claimed.cut !== undefined) return conflict(claimed, worded`${cutWords(id, claimed.cut)} ${advice}`)
      return conflict(
        claimed,
        worded`The call with this ${NAMED_HEADER} was completed and charged as request ${id}; its answer is no longer stored. ${advice}`,
      )
    case 'uncertain':
      return conflict(
        claimed,
        worded`The call with this ${NAMED_HEADER} was interrupted as request ${id} and may have been charged by the provider. ${advice}`,
      )
    case 'running':
      return conflict(
        claimed,
        worded`The call with this ${NAMED_HEADER} is running as request ${id} in another process, or has just ended there. Retry shortly with the same key.`,
      )
  }
}

function cutWords(id: Named, { picodollars }: NonNullable<ClaimedCall['cut']>): Worded {
  const charge = named(picodollars === null ? 'its cost is unknown' : `${exactUsd(picodollars)} USD were charged`)
  return worded`The stream with this ${NAMED_HEADER} was cut before its end as request ${id}; ${charge} for what had been generated, which is not stored.`
}

function conflict({ requestId, state }: ClaimedCall, message: Worded): GatewayError {
  return new GatewayError('conflict', message, {
    details: { header: HEADER, request_id: requestId, state },
    // A call that runs elsewhere may fail and release its key.
    isFinal: state !== 'running',
  })
}
