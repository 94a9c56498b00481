import { type Failure, failure } from '../domain/failure.ts'
import { named, type Worded, worded } from '../domain/wording/worded.ts'
import { NOT_HTTP } from '../upstream/connection.ts'
import type { Stoppage, TimeoutPhase } from '../upstream/exchange.ts'

const TIMEOUTS: Record<TimeoutPhase, Worded> = {
  token: worded`The server that issues the provider's token did not answer in time.`,
  connect: worded`The connection to the provider timed out.`,
  headers: worded`The provider did not answer in time.`,
  body: worded`The provider did not finish its answer in time.`,
  'first-content': worded`The provider began to answer, but sent no content in time.`,
  idle: worded`The provider stopped sending before its answer was complete.`,
  payload: worded`The provider kept the connection open, but sent no content for too long.`,
  total: worded`The stream lasted longer than allowed.`,
}

/**
 * A request that the provider may have processed is not retried there: it may have been billed. `asksOnce`: nor is another
 * entry asked.
 */
export function failureOfBreakdown(breakdown: Stoppage, asksOnce = false): Failure {
  const failed = usualFailure(breakdown)
  // What is slow to make is billed even when it arrives too late.
  return asksOnce && mayBeMade(breakdown) ? { ...failed, next: 'none', retry: 'never' } : failed
}

function mayBeMade(breakdown: Stoppage): boolean {
  if (breakdown.kind === 'timeout') return breakdown.phase !== 'connect' && breakdown.phase !== 'token'
  return breakdown.kind === 'too-large' || (breakdown.kind === 'broken' && breakdown.sent)
}

function usualFailure(breakdown: Stoppage): Failure {
  switch (breakdown.kind) {
    case 'timeout':
      return failure(
        'upstream_timeout',
        breakdown.proxy === undefined
          ? TIMEOUTS[breakdown.phase]
          : worded`The connection to the provider through the proxy ${named(breakdown.proxy)} timed out.`,
        null,
        breakdown.phase === 'connect' ? { retry: 'yes' } : {},
      )
    case 'unreachable':
      return failure('upstream_error', worded`The provider cannot be reached (${named(breakdown.detail)}).`, null)
    case 'proxy':
      return failure(
        'upstream_error',
        worded`The provider cannot be reached: ${named(breakdown.detail)}.`,
        null,
        breakdown.isRefusal ? { retry: 'never' } : {},
      )
    case 'broken':
      if (breakdown.detail === NOT_HTTP) {
        return failure('upstream_error', worded`The provider's answer is not valid HTTP.`, null, { retry: 'no' })
      }
      return breakdown.sent
        ? failure('upstream_error', worded`The provider closed the connection before its answer was complete.`, null, {
            retry: 'no',
          })
        : failure('upstream_error', worded`The connection to the provider closed before the request was sent.`, null)
    case 'refused-address':
      return failure('upstream_error', worded`The provider's address is not allowed.`, null, { retry: 'never' })
    case 'unauthorized':
      return failure('provider_auth_error', breakdown.detail, null)
    case 'too-large':
      return failure('upstream_error', worded`The provider's answer is too large.`, null, { retry: 'no' })
  }
}
