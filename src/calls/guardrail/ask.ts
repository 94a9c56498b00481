import type { Guardrail } from '../../domain/content/guardrail.ts'
import { NO_VERDICT, type Verdict, verdictOf } from '../../domain/content/verdict.ts'
import type { Presence } from '../../domain/presence.ts'
import { CallerLeftError } from '../../http/call.ts'
import { stoppageWords } from '../../upstream/stoppage-words.ts'
import { bodyOf } from '../../upstream/whole-response.ts'
import type { Deps } from '../deps.ts'
import { type Question, questionBytes, signedHeaders } from './message.ts'

const HEADERS = { 'content-type': 'application/json', 'user-agent': 'switchyard' }

/** Beside the request that a verdict may contain. */
const LONGEST_VERDICT = 1024 * 1024

/** The verdict, or the reason why there is none. */
export async function ask(
  question: Question,
  guardrail: Guardrail,
  { upstream, now, presence, maxBodyBytes }: Pick<Deps, 'upstream' | 'now' | 'maxBodyBytes'> & { presence: Presence },
): Promise<Verdict | string> {
  const { url, timeout_ms: timeoutMs } = guardrail
  const body = questionBytes(question)
  const id = `${question.requestId}.${question.phase}`
  const target = upstream.endpoint({ url, headers: HEADERS })
  const signed = upstream.withFields(target, signedHeaders(id, body, guardrail, now()))
  const reply = await upstream.exchange(signed, { method: 'POST', body, timeoutMs, presence })
  if (reply.kind === 'caller-left') throw new CallerLeftError()
  if (reply.kind !== 'reply') return stoppageWords(reply, url, timeoutMs)
  if (reply.status !== 200) return `it answered ${reply.status}`
  return reply.bytes > maxBodyBytes + LONGEST_VERDICT ? 'its answer is too long' : parsed(bodyOf(reply))
}

function parsed(body: Buffer): Verdict | string {
  try {
    return verdictOf(JSON.parse(body.toString('utf8')))
  } catch {
    return NO_VERDICT
  }
}
