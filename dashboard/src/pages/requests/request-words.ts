import { exactUsd } from '../../format/money.ts'
import { count, milliseconds } from '../../format/number.ts'
import { localTime } from '../../format/time.ts'

/** What of a request its words are made of. */
export interface LoggedRequest {
  state: 'open' | 'closed'
  started_at: string
  finished_at: string | null
  status: number | null
  code: string | null
  fallback: boolean
  attempt_count: number
  ended: string | null
  events_sent: number
}

/** The log keeps no text of a caller but the model it asked for, which the reason leaves out. */
export function reasonText(request: { reason: string | null; requested_model: string | null; code: string | null }) {
  const { reason, requested_model: model, code } = request
  const namesModel = model !== null && (code === 'forbidden' || code === 'model_not_found')
  return namesModel ? (reason?.replace("'…'", `'${model}'`) ?? null) : reason
}

/** How long the caller waited; null while it still does, and when the end was not seen. */
export function durationOf(request: Pick<LoggedRequest, 'started_at' | 'finished_at' | 'code'>): number | null {
  if (request.finished_at === null || request.code === 'interrupted') return null
  return Math.max(0, Date.parse(request.finished_at) - Date.parse(request.started_at))
}

/** It is known in whole milliseconds: no digit after the point where there is none. */
export function durationText(duration: number | null): string {
  return duration !== null && duration < 10 ? `${duration} ms` : milliseconds(duration)
}

const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: '2-digit' })
const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
})

/** A moment in the viewer's zone, the day apart from the time: the one hardly changes from row to row. */
export function momentParts(at: string): { day: string; clock: string } {
  const date = new Date(at)
  return { day: day.format(date), clock: clock.format(date) }
}

type Ending = { title: string; tone: 'good' | 'warn' | 'bad' | 'calm' }

/** A stream that had sent content and did not finish. */
function cutOf({ ended, events_sent: sent }: LoggedRequest): Ending | null {
  const events = sent === 1 ? 'one event' : `${count(sent)} events`
  switch (ended) {
    case 'failed_mid_stream':
      return { title: `Cut by the provider after ${events}`, tone: 'bad' }
    case 'caller_left':
      return { title: `The caller left after ${events}`, tone: 'calm' }
    case 'slow_reader':
      return { title: `Ended after ${events}: the caller read too slowly`, tone: 'warn' }
    case 'interrupted':
      return { title: 'Interrupted: the gateway stopped before the stream ended', tone: 'bad' }
    default:
      return null
  }
}

/** What happened, for people who are in a hurry. */
export function endingOf(request: LoggedRequest): Ending {
  const { state, status, code, fallback, attempt_count: attempts } = request
  if (state === 'open') return { title: 'Running', tone: 'calm' }
  const cut = cutOf(request)
  if (cut !== null) return cut
  if (code === 'interrupted') return { title: 'Interrupted: the gateway stopped before the call ended', tone: 'bad' }
  if (code === 'caller_left') return { title: 'The caller hung up before the answer', tone: 'calm' }
  if (code === null) return { title: fallback ? 'Served by a fallback' : 'Served', tone: 'good' }
  const isOurs = status !== null && status >= 500
  const where = attempts === 0 ? 'Refused before any provider was called' : 'No entry served it'
  return { title: where, tone: isOurs ? 'bad' : 'warn' }
}

const ADJUSTED = {
  default_limit: 'the default',
  route_default: 'the route’s default',
  route_cache: 'the route has prompts cached',
  fitted_to_budget: 'fitted to the budget',
  stepped_down: 'a cheaper model, because of the budget',
  renamed: 'as the provider wants it',
  refused: 'left out: the provider does not take it',
  guardrail: 'by the guardrail',
  pinned: 'pinned for the hard budget',
  unused_key: 'not used: the bearer token is another key',
  left_out: 'left out: the hard budget does not cover what it can cost',
}

interface LoggedAdjustment {
  field: string
  value: string | number | null
  reason: keyof typeof ADJUSTED
  from?: string | undefined
}

/** One field that the gateway sent other than as the caller wrote it, or a key that it did not use. */
export function adjustmentText({ field, value, reason, from }: LoggedAdjustment): string {
  const sent = value === null ? field : `${field} ${value}`
  return from === undefined ? `${sent} (${ADJUSTED[reason]})` : `${from} sent as ${sent} (${ADJUSTED[reason]})`
}

type Written = (value: string | number) => string
const asCount: Written = (value) => (typeof value === 'number' ? count(value) : value)
const asUsd: Written = (value) => exactUsd(String(value))

/** Figures of a refusal as text, the most useful first; names that mean nothing here are left out. */
const FIGURES: [name: string, title: string, write: Written][] = [
  ['limit', 'Limit', asCount],
  ['used', 'In use', asCount],
  ['needed', 'This call', asCount],
  ['limit_usd', 'Budget', asUsd],
  ['spent_usd', 'Spent', asUsd],
  ['held_usd', 'Held', asUsd],
  ['hold_usd', 'This call, at most', asUsd],
  ['max_tokens_that_fits', 'Fits with max_tokens', asCount],
  ['resets_at', 'Resets', (value) => localTime(String(value))],
  ['retry_after_seconds', 'Retry after', (value) => `${value} s`],
]

export function figureTexts(figures: Readonly<Record<string, string | number>>): { name: string; value: string }[] {
  return FIGURES.flatMap(([field, name, write]) => {
    const value = figures[field]
    return value === undefined ? [] : [{ name, value: write(value) }]
  })
}

/** How it ended, without the reason, which stands above it. */
export function withoutReason(ending: string, reason: string | null): string {
  return reason === null ? ending : (ending.split(` ${reason}`)[0] ?? ending)
}
