import { hash } from 'node:crypto'
import type { Balance } from './route.ts'

/** What is known of a member when a call begins. */
export interface MemberState {
  weight: number
  /** It cannot be called, has been failing, or has asked to be left alone. */
  isUnavailable: boolean
  /** Calls that are at it now, on this node. */
  running: number
  /** Recent duration of an answer, or until the first content of a stream; null: no recent measurement. */
  latencyMs: number | null
  /** 0 < draw < 1: chance, or the session's own. */
  draw: number
}

/**
 * The members in the order in which they are called, by their index in the group. Unavailable members come last, and
 * before them those without weight. `isPinned`: a session stays where its draws lead, under any policy.
 */
export function orderMembers(balance: Balance, states: readonly MemberState[], isPinned: boolean): number[] {
  const compare = isPinned ? byDraw : COMPARE[balance]
  const rank = ({ isUnavailable, weight }: MemberState) => (isUnavailable ? 2 : weight === 0 ? 1 : 0)
  return states
    .map((state, place) => ({ state, place }))
    .sort((a, b) => rank(a.state) - rank(b.state) || compare(a.state, b.state) || a.place - b.place)
    .map(({ place }) => place)
}

type Compare = (a: MemberState, b: MemberState) => number

const COMPARE: Record<Balance, Compare> = {
  weighted: byDraw,
  least_busy: (a, b) => a.running - b.running || byDraw(a, b),
  fastest: (a, b) => less(slowness(a), slowness(b)) || byDraw(a, b),
}

/**
 * Each member draws a distance, shorter with more weight, and the shortest is first: as often as its share of the
 * weights. Where the draws are a session's own, a member that goes moves only the sessions that were at it.
 */
function byDraw(a: MemberState, b: MemberState): number {
  return less(distance(a), distance(b))
}

function distance({ draw, weight }: MemberState): number {
  return weight === 0 ? Number.POSITIVE_INFINITY : -Math.log(draw) / weight
}

/** Members without a recent measurement get one probe at a time, so that a recovered one is found again. */
function slowness({ latencyMs, running }: MemberState): number {
  return latencyMs ?? (running === 0 ? -1 : Number.POSITIVE_INFINITY)
}

function less(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1
}

/** The draw of a session for a member: the same on every node, and at every time. */
export function drawOf(session: string, member: string): number {
  const digits = hash('sha256', `${member}\n${session}`, 'hex').slice(0, 12)
  return (Number.parseInt(digits, 16) + 0.5) / 2 ** 48
}

/** Why a member has its position, as a sentence. */
export function positionReason(balance: Balance, state: MemberState, total: number, isPinned: boolean): string {
  const { isUnavailable, weight, running, latencyMs } = state
  if (isUnavailable) return 'comes last: it cannot be called, has been failing or asked to be left alone'
  if (weight === 0) return 'has no weight: it is called when the others cannot serve'
  if (isPinned) return `by the session, over weight ${weight} of ${total}`
  switch (balance) {
    case 'weighted':
      return `weight ${weight} of ${total}`
    case 'least_busy':
      return `least busy first: ${running} running here`
    case 'fastest':
      return latencyMs === null
        ? 'fastest first: no recent measurement, so it gets one probe at a time'
        : `fastest first: about ${Math.round(latencyMs)} ms recently`
  }
}
