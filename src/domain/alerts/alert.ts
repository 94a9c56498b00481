import type { AlertRule } from './rules.ts'

/** From least to most urgent. */
export const SEVERITIES = ['info', 'warning', 'critical'] as const
export type Severity = (typeof SEVERITIES)[number]

/** Something that is true now and worth an alert. Its texts hold no secret and nothing of a request. */
export interface Condition {
  /** The same on every node that sees it, for as long as it is the same matter. */
  identity: string
  rule: AlertRule
  severity: Severity
  /** What it is about: the name of a budget, a provider, a route, a node. */
  subject: string
  workspace: string | null
  summary: string
  /** It must last this long before it is sent. */
  forMs: number
  /** It counts as over only when no node has seen it for this long. */
  holdMs: number
  /** Fires once for all time: the identity names the period. */
  isOnce: boolean
  /** Alerts that end without a word because this one says more. */
  supersedes: readonly string[]
}

/** What a message says of one alert. */
export interface AlertEvent {
  alertId: string
  state: 'firing' | 'resolved'
  rule: AlertRule
  severity: Severity
  subject: string
  workspace: string | null
  summary: string
  /** Unix milliseconds. */
  firedAt: number
  resolvedAt: number | null
}
