import { outlineOf } from '../bodies/outline.ts'
import { ERRORS } from '../domain/errors.ts'
import type { Failure } from '../domain/failure.ts'
import type { UpstreamReply } from '../upstream/whole-response.ts'
import { stampOf } from './answer.ts'
import type { Deps } from './deps.ts'
import { type Outcome, outcomeOf, outcomeWithoutBody, type Reader } from './read-outcome.ts'
import type { Life } from './stages.ts'

/** Like `readOutcome`, for an answer that is so large that only the worker may look into it. */
export async function readLargeOutcome(raw: UpstreamReply, reader: Reader, life: Life, deps: Deps): Promise<Outcome> {
  const known = outcomeWithoutBody(raw, reader)
  if (known !== null) return known
  const { provider, request, now } = reader
  const { status, pieces } = raw
  const reply = {
    status,
    family: provider.family,
    provider,
    request: outlineOf(request),
    stamp: stampOf(life, request),
  }
  try {
    return outcomeOf(await deps.largeBodies.read(pieces, reply), raw, now)
  } catch (error) {
    deps.log.error({ request: life.id, err: error })
    return { kind: 'failed', failure: ourFailure(status) }
  }
}

/** The provider has answered and was paid: nobody is asked again. */
function ourFailure(status: number): Failure {
  const code = 'internal_error'
  const message = ERRORS[code].text
  return {
    code,
    message,
    status,
    next: 'none',
    retry: 'never',
    retryAfterMs: null,
    shouldRetry: null,
    refusedField: null,
  }
}
