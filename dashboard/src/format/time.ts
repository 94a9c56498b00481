const moment = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hour12: false,
})
const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hour12: false })
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: '2-digit' })
/** Days of the API begin at midnight UTC: their names must not move to the day before in the viewer's zone. */
const utcDay = new Intl.DateTimeFormat(undefined, { month: 'short', day: '2-digit', timeZone: 'UTC' })

/** In the viewer's zone. */
export function localTime(at: string): string {
  return moment.format(new Date(at))
}

export function localClock(at: string): string {
  return clock.format(new Date(at))
}

export function localDay(at: string): string {
  return day.format(new Date(at))
}

export function utcDayName(at: string): string {
  return utcDay.format(new Date(at))
}

/** 2026-11-15 06:12:03.120 UTC. */
export function utcTime(at: string): string {
  return `${new Date(at).toISOString().replace('T', ' ').replace('Z', '')} UTC`
}

const STEPS: [seconds: number, name: Intl.RelativeTimeFormatUnit][] = [
  [60, 'second'],
  [3600, 'minute'],
  [86_400, 'hour'],
  [86_400 * 30, 'day'],
  [86_400 * 365, 'month'],
  [Number.POSITIVE_INFINITY, 'year'],
]
const UNIT_SECONDS: Partial<Record<Intl.RelativeTimeFormatUnit, number>> = {
  second: 1,
  minute: 60,
  hour: 3600,
  day: 86_400,
  month: 86_400 * 30,
  year: 86_400 * 365,
}
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'narrow' })

/** "3 min ago", "in 2 days". */
export function relativeTime(at: string, now: number): string {
  const seconds = Math.round((new Date(at).getTime() - now) / 1000)
  const unit = STEPS.find(([below]) => Math.abs(seconds) < below)?.[1] ?? 'year'
  return relative.format(Math.trunc(seconds / (UNIT_SECONDS[unit] ?? 1)), unit)
}

export function isoAt(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
