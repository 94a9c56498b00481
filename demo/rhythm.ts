import type { Random } from '../simulator/random.ts'
import type { Application } from './applications.ts'
import { lognormal, poisson } from './draw.ts'

type Rhythm = Application['rhythm']

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Weights of the hours of a day (UTC), not normalised. */
const HOURS: Record<Rhythm, (hour: number) => number> = {
  people: (hour) => 0.16 + Math.max(0, Math.sin((Math.PI * (hour - 5)) / 18)) ** 1.5,
  office: (hour) => 0.03 + Math.max(0, Math.sin((Math.PI * (hour - 6)) / 13)),
  night: (hour) => (hour >= 1 && hour < 5 ? 1 : 0.16),
  steady: (hour) => (hour === 3 || hour === 15 ? 2 : 1),
}

const WEEKEND: Record<Rhythm, number> = { people: 0.6, office: 0.12, night: 0.85, steady: 0.5 }

/** The share of a day's calls in one of its hours. */
function hourShare(rhythm: Rhythm, at: number): number {
  const weight = HOURS[rhythm]
  let sum = 0
  for (let hour = 0; hour < 24; hour++) sum += weight(hour)
  const date = new Date(at)
  const isWeekend = date.getUTCDay() % 6 === 0
  return (weight(date.getUTCHours()) / sum) * (isWeekend ? WEEKEND[rhythm] : 1)
}

/** Traffic grows over the month. */
const [FIRST_GROWTH, LAST_GROWTH] = [0.75, 1.25]

/** Expected calls of an application in this hour. */
export function callsAnHour({ perDay, rhythm }: Application, at: number, growth = LAST_GROWTH): number {
  return perDay * hourShare(rhythm, at) * growth
}

export interface Arrival {
  at: number
  application: Application
}

/** Who calls when, in order: traffic grows over the month, and no two days are alike. */
export function* arrivals(
  applications: readonly Application[],
  { from, to }: { from: number; to: number },
  random: Random,
): Iterable<Arrival> {
  let mood = new Map<Application, number>()
  let today = Number.NaN
  for (let hour = Math.floor(from / HOUR_MS) * HOUR_MS; hour < to; hour += HOUR_MS) {
    if (Math.floor(hour / DAY_MS) !== today) {
      today = Math.floor(hour / DAY_MS)
      mood = new Map(applications.map((application) => [application, lognormal(random, 1, 0.13)]))
    }
    const growth = FIRST_GROWTH + ((LAST_GROWTH - FIRST_GROWTH) * (hour - from)) / (to - from)
    const calls: Arrival[] = []
    for (const application of applications) {
      const expected = callsAnHour(application, hour, growth) * (mood.get(application) ?? 1)
      for (let count = poisson(random, expected); count > 0; count--) {
        calls.push({ at: Math.floor(hour + random() * HOUR_MS), application })
      }
    }
    for (const call of calls.sort((a, b) => a.at - b.at)) if (call.at >= from && call.at < to) yield call
  }
}
