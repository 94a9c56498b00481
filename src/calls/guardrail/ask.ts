import { type Guardrail, type Verdict, verdictOf } from '../../domain/content/guardrail.ts'
import type { Presence } from '../../domain/presence.ts'
import { CallerLeftError } from '../../http/call.ts'
import { stoppageWords } from '../../upstream/stoppage-words.ts'
import { bodyOf } from '../../upstream/whole-response.ts'
import type { Deps } from '../deps.ts'
import { type Question, questionBytes, signedHeaders } from './message.ts'

const HEADERS = { 'content-type': 'application/json', 'user-agent': 'switchyard' }

/** A verdict is short. */
const LONGEST_VERDICT = 64 * 1024

/** The verdict, or the reason why there is none. */
export async function ask(
  question: Question,
  guardrail: Guardrail,
  { upstream, now, presence }: Pick<Deps, 'upstream' | 'now'> & { presence: Presence },
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
  return (reply.bytes > LONGEST_VERDICT ? null : parsed(bodyOf(reply))) ?? 'it answered without a verdict'
}

function parsed(body: Buffer): Verdict | null {
  try {
    return verdictOf(JSON.parse(body.toString('utf8')))
  } catch {
    return null
  }
}
