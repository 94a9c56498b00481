import { quoted, ReportProblem } from '../line.ts'

const DAY_MS = 86_400_000
const DATE = /^(\d{4})-(\d{2})-(\d{2})$/
const LOCAL = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?$/
const OFFSET = /(?:Z| ?UTC|[+-]\d{2}:?\d{2})$/

const formats = new Map<string, Intl.DateTimeFormat>()

/** IANA names only: abbreviations such as PST name one of the two offsets of a zone. */
export function checkZone(zone: string, place: string): string {
  if (zone === 'UTC') return zone
  if (!/^[A-Za-z]+\/[A-Za-z0-9_+/-]+$/.test(zone)) throw unknownZone(zone, place)
  try {
    formatOf(zone)
  } catch {
    throw unknownZone(zone, place)
  }
  return zone
}

function unknownZone(zone: string, place: string): ReportProblem {
  return new ReportProblem(place, `${quoted(zone)} is not a time zone; write an IANA name such as Europe/Berlin or UTC`)
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const found = formats.get(zone) ?? new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
  formats.set(zone, found)
  return found
}

function offsetAt(instant: number, zone: string): number {
  if (zone === 'UTC') return 0
  const name =
    formatOf(zone)
      .formatToParts(instant)
      .find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d+):(\d+)/.exec(name) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}

/** The instant at which clocks of the zone show this time, given as if it were UTC. */
function localInstant(shown: number, zone: string): number {
  const first = shown - offsetAt(shown, zone)
  return shown - offsetAt(first, zone)
}

/** Of a time with an offset, or of one in the zone; without either it is refused. */
export function instantOf(text: string, zone: string | null, place: string): number {
  const isDate = DATE.test(text)
  const bare = text.replace(' UTC', 'Z').replace(' ', 'T')
  if (!isDate && OFFSET.test(text)) return checked(Date.parse(bare), text, place)
  if (!isDate && !LOCAL.test(text)) throw new ReportProblem(place, `${quoted(text)} is not a date or time`)
  if (zone === null) throw new ReportProblem(place, `${quoted(text)} has no time zone; add a column time_zone`)
  const shown = checked(Date.parse(isDate ? `${text}T00:00Z` : `${bare}Z`), text, place)
  return localInstant(shown, zone)
}

function checked(instant: number, text: string, place: string): number {
  if (Number.isNaN(instant)) throw new ReportProblem(place, `${quoted(text)} is not a date or time`)
  return instant
}

/** The date that clocks of the zone show. */
export function dayIn(instant: number, zone: string): string {
  return new Date(instant + offsetAt(instant, zone)).toISOString().slice(0, 10)
}

/** A date of the zone, of 23 to 25 hours. */
export function daySpan(date: string, zone: string, place = 'date'): { start: number; end: number } {
  const start = instantOf(date, zone, place)
  const next = new Date(Date.parse(`${date}T00:00Z`) + DAY_MS).toISOString().slice(0, 10)
  return { start, end: instantOf(next, zone, place) }
}
