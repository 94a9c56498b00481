import type { Condition } from '../domain/alerts/alert.ts'
import type { AlertRule } from '../domain/alerts/rules.ts'
import type { AlertRow } from '../store/engine/schema.ts'

/** Everything that one look at the gateway has come to. */
export interface Findings {
  conditions: readonly Condition[]
  /** Rules that this node cannot judge now: what they found before stays as it is. */
  unknown: ReadonlySet<AlertRule>
}

export interface Decision {
  /** Seen for the first time. */
  begin: Condition[]
  /** Still there. */
  renew: string[]
  /** Lasted long enough: sent. */
  fire: AlertRow[]
  resolve: AlertRow[]
  /** Covered by another alert: ended without a message. */
  end: string[]
  /** It ended before it was sent. */
  forget: string[]
}

/**
 * What to write, given the unresolved alerts. Another node may see what this one does not, so an alert ends only when
 * no node has seen it for a while: `graceMs`, or longer where its rule says so.
 */
export function decide(
  open: readonly AlertRow[],
  { conditions, unknown }: Findings,
  { now, graceMs, firedBefore }: { now: number; graceMs: number; firedBefore: ReadonlySet<string> },
): Decision {
  const seen = new Map(conditions.map((condition) => [condition.identity, condition]))
  const superseded = new Set(conditions.flatMap(({ supersedes }) => supersedes))
  const known = new Set(open.map(({ identity }) => identity))
  const isOver = (row: AlertRow) =>
    !seen.has(row.identity) &&
    !unknown.has(row.rule as AlertRule) &&
    now - row.seen_at >= Math.max(graceMs, row.hold_ms)
  const [ended, rest] = split(open, ({ identity }) => superseded.has(identity))
  const [over, alive] = split(rest, isOver)
  const present = alive.filter(({ identity }) => seen.has(identity))
  return {
    begin: conditions.filter(({ identity, isOnce }) => !known.has(identity) && !(isOnce && firedBefore.has(identity))),
    renew: present.map(({ id }) => id),
    fire: present.filter((row) => row.fired_at === null && now - row.since >= (seen.get(row.identity)?.forMs ?? 0)),
    resolve: over.filter(({ fired_at }) => fired_at !== null),
    end: ended.map(({ id }) => id),
    forget: over.filter(({ fired_at }) => fired_at === null).map(({ id }) => id),
  }
}

function split<T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))]
}
