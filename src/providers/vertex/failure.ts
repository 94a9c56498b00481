import type { Failure } from '../../domain/failure.ts'
import { isJsonObject } from '../../domain/request/call-request.ts'
import { failureFromWire as claudeFailure } from '../anthropic/failure.ts'
import { refusedBetas } from '../anthropic/refused.ts'
import { failureFromWire as vendorFailure } from '../gemini/failure.ts'
import { WireError } from '../gemini/wire.ts'
import { failureFromWire as openFailure } from '../openai/failure.ts'

const BETA_HEADER = 'anthropic-beta'

/** Where a beta is refused it is named in a header field, which is in no body. */
export function failureFromWire(status: number, body: unknown): Failure {
  const failed = failureOf(status, body)
  const betas = status === 400 ? refusedBetas(failed.message, BETA_HEADER) : null
  return betas === null ? failed : { ...failed, refusedField: betas }
}

/** The vendor's own errors, or those of the model's publisher, which come in the publisher's format. */
function failureOf(status: number, body: unknown): Failure {
  if (isJsonObject(body) && body['type'] === 'error') return claudeFailure(status, body)
  const parsed = WireError.safeParse(body)
  const { code, status: name, message, details } = parsed.success ? parsed.data.error : {}
  if (parsed.success && typeof code !== 'number' && !name) return openFailure(status, body)
  const failed = vendorFailure(status, body)
  if (failed.code !== 'provider_auth_error') return failed
  const reasons = (details ?? []).map(({ reason }) => reason ?? '')
  const advice = adviceOn(message ?? '', reasons)
  return advice === null ? failed : { ...failed, message: `${failed.message} ${advice}` }
}

/** What an operator can do, where the vendor's words do not say it. */
const ADVICE: readonly [when: RegExp, words: string][] = [
  [/ACCESS_TOKEN_EXPIRED/, 'The token has expired: the next call fetches another.'],
  [/SERVICE_DISABLED|has not been used in project/, 'Enable the API aiplatform.googleapis.com in this project.'],
  [/CONSUMER_INVALID|project .*(?:not found|not exist)/i, 'Is settings.project the right one?'],
  [/BILLING_DISABLED|enable billing/i, 'The project in settings.project has no billing.'],
  [
    /IAM_PERMISSION_DENIED|permission .* denied/i,
    'The service account needs the role roles/aiplatform.user in settings.project.',
  ],
  [/constraints\/|org(?:anization)? policy/i, 'A policy of the organization forbids this model or location.'],
]

function adviceOn(message: string, reasons: readonly string[]): string | null {
  const text = [...reasons, message].join('\n')
  return ADVICE.find(([when]) => when.test(text))?.[1] ?? null
}
