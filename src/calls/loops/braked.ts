import { GatewayError } from '../../domain/errors.ts'
import type { Verdict } from '../../domain/loops/judge.ts'
import type { LoopSignal } from '../../domain/loops/signals.ts'
import { signalWords } from '../../domain/loops/words.ts'
import { promptTokens } from '../../domain/pricing/usage.ts'
import { wholeSeconds } from '../../domain/retry-after.ts'
import type { Loops, Workspace } from '../../domain/snapshot.ts'
import { named, worded } from '../../domain/wording/worded.ts'
import type { CloseRecord } from '../../request-log/record.ts'
import { callerOf } from '../attribution/caller-of.ts'
import type { Deps, MakeAspect } from '../deps.ts'
import type { Aspect, Begun, Ended, Given, Resolved } from '../stages.ts'
import type { LoopWatch } from './loop-watch.ts'

/** A workspace whose sessions are watched for loops (docs/loops.md). Before anything that costs. */
export function braked({ loops }: Workspace): MakeAspect | null {
  if (loops === null) return null
  return ({ endpoint }, _chunks, deps) =>
    endpoint.operation === 'chat' && endpoint.isFree !== true ? new Brake(loops, deps) : null
}

/** The salt of the hashes of tool calls, so that those of two workspaces have nothing in common. */
export function toolSalt({ salt }: LoopWatch, { key }: Pick<Begun, 'key'>): string {
  return `${salt} ${key.workspace}`
}

class Brake implements Aspect {
  readonly #loops: Loops
  readonly #watch: LoopWatch
  readonly #metrics: Deps['metrics']
  #signals: readonly LoopSignal[] = []
  /** Where nothing names the session, its conversation is known by it. */
  #firstTool: string | null = null

  constructor(loops: Loops, { loops: watch, metrics }: Deps) {
    this.#loops = loops
    this.#watch = watch
    this.#metrics = metrics
  }

  enter(call: Resolved): Promise<Given | null> {
    const { settings, resumed } = this.#loops
    const { key, attribution, body } = call
    const { session, agent } = attribution
    const tools = body.toolMarks(toolSalt(this.#watch, call))
    this.#firstTool = tools.first
    const resumedAt = (session === null ? undefined : resumed.get(session)) ?? 0
    const { verdict, signals } = this.#watch.judge(
      { caller: callerOf(key), session },
      { tools, agent, resumedAt },
      settings,
    )
    this.#signals = signals
    for (const signal of signals) this.#metrics.loopCalls.add(1, [signal, verdict.kind])
    if (verdict.kind !== 'pass') return Promise.reject(refusal(verdict, session, settings.slow_seconds))
    return NOT_GIVEN
  }

  addToRow(record: CloseRecord): void {
    if (this.#signals.length > 0) record.loop = this.#signals.join(',')
  }

  settled({ call }: Ended): void {
    const { key, attribution, served, cost } = call
    if (attribution === undefined || served === undefined) return
    const { agent, kind, session } = attribution
    const { usage, usageSource } = served
    const tokens = usageSource === 'provider' ? { prompt: promptTokens(usage), cached: usage.cachedInput } : null
    const picodollars = cost?.picodollars ?? null
    const answer = { agent, kind, tokens, usd: picodollars === null ? null : Number(picodollars) / 1e12 }
    this.#watch.answered({ caller: callerOf(key), session }, this.#firstTool, answer, this.#loops.settings)
  }
}

const NOT_GIVEN: Promise<null> = Promise.resolve(null)

/** Callers choose it, and operators type what they read. */
function typeable(session: string): string {
  return /^[\w.:][\w.:-]*$/.test(session) ? session : 'SESSION'
}

function refusal(
  verdict: Exclude<Verdict, { kind: 'pass' }>,
  session: string | null,
  slowSeconds: number,
): GatewayError {
  const { signal: kind, used, limit } = verdict.because
  const what = named(signalWords(verdict.because))
  if (verdict.kind === 'slow') {
    const retryAfterSeconds = Math.max(1, wholeSeconds(verdict.waitMs))
    return new GatewayError(
      'loop_slowed',
      worded`This session looks like a loop: ${what}. It may make one call every ${slowSeconds} seconds. Retry in ${retryAfterSeconds} seconds.`,
      { details: { kind, used, limit }, retryAfterSeconds },
    )
  }
  const until = new Date(verdict.until).toISOString()
  const time = named(until.slice(0, 16).replace('T', ' '))
  const how =
    session === null
      ? worded`Start a new conversation, or repeat your message after ${time} UTC.`
      : worded`An operator can resume it (switchyard loops resume ${typeable(session)}); otherwise it may go on at ${time} UTC. Then repeat your message.`
  return new GatewayError('loop_stopped', worded`This session was stopped as a loop: ${what}. ${how}`, {
    details: { kind, used, limit, resets_at: until },
  })
}
