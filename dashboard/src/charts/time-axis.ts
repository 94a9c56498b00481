import { localClock, localDay, utcDayName } from '../format/time.ts'
import { endOf, type Interval } from './chart-data.ts'

const utcWeekday = new Intl.DateTimeFormat(undefined, {
  weekday: 'short',
  year: 'numeric',
  month: 'short',
  day: '2-digit',
  timeZone: 'UTC',
})

/** More hours than this are marked by the day. */
const MOST_HOURS = 48

/** Where the time axis has a mark: at round times of the viewer's clock, so that one reads "12:00" and not "11:37". */
export function ticksOf(starts: readonly string[], interval: Interval): string[] {
  if (interval === 'day') return [...starts]
  const isRound = (start: string): boolean => {
    const at = new Date(start)
    if (interval === 'minute') return at.getMinutes() % 10 === 0
    return starts.length > MOST_HOURS ? at.getHours() === 0 : at.getHours() % 3 === 0
  }
  return starts.filter(isRound)
}

/** The name of a mark. Days are UTC days and keep their name in every zone; the rest is in the viewer's. */
export function tickText(start: string, interval: Interval, count: number): string {
  if (interval === 'day') return utcDayName(start)
  return interval === 'hour' && count > MOST_HOURS ? localDay(start) : localClock(start)
}

/** An interval in full, for tables, whose heading says that days are UTC days. */
export function spanText(start: string, interval: Interval): string {
  if (interval === 'day') return utcWeekday.format(new Date(start))
  const day = `${localDay(start)}, ${localClock(start)}`
  return interval === 'hour' ? `${day}–${localClock(endOf(start, interval))}` : day
}
