import { growthOf } from './growth.ts'
import { sumOf, withAmount } from './minute.ts'
import { freshState, type LoopState, type Stop } from './session-state.ts'
import type { LoopSettings } from './settings.ts'
import { LOOP_ACTIONS, LOOP_SIGNALS, type LoopAction, type LoopSignal } from './signals.ts'
import type { ToolMark, ToolMarks } from './tool-marks.ts'

/** A call as it comes in. */
export interface Incoming {
  /** Unix milliseconds. */
  now: number
  tools: ToolMarks
  agent: string | null
  /** When a person last resumed the session; 0: never. */
  resumedAt: number
  /** What other sessions of the key spend in a minute; null: too few are known. */
  usualUsd: number | null
}

/** A signal that is there, with its figure and the one it has reached. */
export interface Finding {
  signal: LoopSignal
  action: LoopAction
  used: number
  limit: number
}

export type Verdict =
  | { kind: 'pass' }
  | { kind: 'slow'; because: Finding; waitMs: number }
  | { kind: 'stop'; because: Pick<Stop, 'signal' | 'used' | 'limit'>; until: number }

export interface Judged {
  state: LoopState
  verdict: Verdict
  /** All signals that are there, the one that decided first. */
  signals: readonly LoopSignal[]
}

const PASS: Verdict = { kind: 'pass' }

/** Whether a call may pass, and what its session is then known to have done. A call that may not does not count. */
export function judgeCall(before: LoopState | null, incoming: Incoming, settings: LoopSettings): Judged {
  const { now, tools } = incoming
  const known = withForgiven(current(before, incoming, settings), tools)
  const { stop } = known
  if (stop !== null) {
    return { state: known, verdict: { kind: 'stop', because: stop, until: stop.until }, signals: [stop.signal] }
  }
  const counted = { ...known, calls: withAmount(known.calls, now, 1) }
  const findings = strongestFirst(findingsOf(counted, incoming, settings))
  const signals = findings.map(({ signal }) => signal)
  const [because] = findings
  if (because?.action === 'stop') {
    const until = now + settings.stop_minutes * 60_000
    const { signal, used, limit } = because
    const state = { ...known, stop: { signal, used, limit, until } }
    return { state, verdict: { kind: 'stop', because, until }, signals }
  }
  if (because?.action !== 'slow') return { state: counted, verdict: PASS, signals }
  const waitMs = known.nextAt - now
  if (waitMs > 0) return { state: known, verdict: { kind: 'slow', because, waitMs }, signals }
  return { state: { ...counted, nextAt: now + settings.slow_seconds * 1000 }, verdict: PASS, signals }
}

/** A stop ends by time, by a person, and when the setting no longer says so. Then the session starts over. */
function current(before: LoopState | null, { now, resumedAt }: Incoming, settings: LoopSettings): LoopState {
  if (before === null) return freshState(resumedAt)
  if (resumedAt > before.resumedAt) return freshState(resumedAt, before)
  const { stop } = before
  if (stop === null || (now < stop.until && settings[stop.signal]?.action === 'stop')) return before
  return { ...freshState(Math.max(resumedAt, before.resumedAt), before), forgiven: new Map() }
}

/** Conversations of a session that was resumed, at most; the one that came first is forgotten first. */
const MOST_CONVERSATIONS = 64

/** What a conversation holds when it is first seen after a stop has been judged: only later tool calls count. */
function withForgiven(state: LoopState, { recent, first }: ToolMarks): LoopState {
  const [last, conversation] = [recent.at(-1), first ?? '']
  if (state.forgiven === null || state.stop !== null || last === undefined || state.forgiven.has(conversation)) {
    return state
  }
  const forgiven = new Map([...state.forgiven, [conversation, last.id] as const])
  for (const oldest of forgiven.keys()) if (forgiven.size > MOST_CONVERSATIONS) forgiven.delete(oldest)
  return { ...state, forgiven }
}

function findingsOf(state: LoopState, incoming: Incoming, settings: LoopSettings): Finding[] {
  return LOOP_SIGNALS.flatMap((signal): Finding[] => {
    const action = settings[signal]?.action
    const figures = action === undefined ? null : FIGURES[signal](state, incoming, settings)
    return action === undefined || figures === null ? [] : [{ signal, action, ...figures }]
  })
}

type Figures = Pick<Finding, 'used' | 'limit'>

/** Null: the signal is not there. */
const FIGURES: Readonly<
  Record<LoopSignal, (state: LoopState, incoming: Incoming, settings: LoopSettings) => Figures | null>
> = {
  same_tool_call: ({ forgiven }, { tools }, { same_tool_call: set }) =>
    reached(repeats(tools.recent, forgiven?.get(tools.first ?? '')), set?.times),
  calls_a_minute: ({ calls }, { now }, { calls_a_minute: set }) =>
    set === undefined ? null : over(sumOf(calls, now), set.calls),
  context_growth: (state, { agent }, { context_growth: set }) => reached(growthOf(state, agent), set?.calls),
  spend_times_usual({ spent }, { now, usualUsd }, { spend_times_usual: set }) {
    if (set === undefined || usualUsd === null) return null
    return over(inCents(sumOf(spent, now)), inCents(Math.max(set.usd, set.times * usualUsd)))
  },
}

/** How often the last tool call is among these, as far as they came after the forgiven one. */
function repeats(recent: readonly ToolMark[], forgiven: string | undefined): number {
  const counted = forgiven === undefined ? recent : recent.slice(recent.findIndex(({ id }) => id === forgiven) + 1)
  const last = counted.at(-1)
  return counted.filter(({ call }) => call === last?.call).length
}

function reached(used: number, limit: number | undefined): Figures | null {
  return limit === undefined || used < limit ? null : { used, limit }
}

function over(used: number, limit: number): Figures | null {
  return used > limit ? { used, limit } : null
}

function inCents(usd: number): number {
  return Math.round(usd * 100) / 100
}

function strongestFirst(findings: Finding[]): Finding[] {
  return findings.sort((a, b) => LOOP_ACTIONS.indexOf(b.action) - LOOP_ACTIONS.indexOf(a.action))
}
