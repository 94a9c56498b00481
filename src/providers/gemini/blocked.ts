import { type Failure, failure } from '../../domain/failure.ts'
import { named, worded } from '../../domain/wording/worded.ts'
import { shownName } from './finish-reason.ts'
import type { WireResponse } from './wire.ts'

const OK = 200

/** Why a response has no candidates. Null: no reason given, and more may follow in a stream. */
export function blockedBy({ blockReason: reason }: WireResponse): Failure | null {
  if (reason === null || reason === 'BLOCKED_REASON_UNSPECIFIED') return null
  return failure(
    'content_filtered',
    worded`The provider blocked the prompt (blockReason ${named(shownName(reason))}).`,
    OK,
  )
}

export const NO_CANDIDATES = failure('upstream_error', worded`The provider answered without candidates.`, OK, {
  retry: 'once',
})

export function unanswered(message: string): Failure {
  return failure('upstream_error', message, OK, { retry: 'once' })
}
