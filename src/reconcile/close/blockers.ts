import type { Attributed } from '../attribute.ts'

/** Why a month cannot be closed now. */
export interface Blocker {
  sentence: string
  /** Unix milliseconds; null: something has to be done first. */
  possibleFrom: number | null
  /** A person may close the month anyway, with a reason. */
  canOverride: boolean
}

export interface CloseFacts {
  month: string
  /** The end of the month, Unix milliseconds. */
  end: number
  now: number
  closed: readonly string[]
  /** Months with calls, oldest first. */
  used: readonly string[]
  attributed: readonly Attributed[]
  /** Rows that the sums have and the log has not. */
  missing: readonly { requests: bigint; start: number; end: number }[]
}

export function blockersOf(facts: CloseFacts): Blocker[] {
  return [...tooEarly(facts), ...outOfOrder(facts), ...brokenBooks(facts), ...unsettled(facts)]
}

function tooEarly({ month, end, now }: CloseFacts): Blocker[] {
  return now >= end ? [] : [{ sentence: `${month} isn't over yet.`, possibleFrom: end, canOverride: false }]
}

/** Late calls go to the next close, so there must be only one next close. */
function outOfOrder({ month, closed, used }: CloseFacts): Blocker[] {
  const last = closed.at(-1)
  if (last === undefined) return []
  if (month < last) {
    const sentence = `${last} is already closed, and an earlier month cannot be closed after it: its late calls are part of ${last}.`
    return [{ sentence, possibleFrom: null, canOverride: false }]
  }
  const between = used.find((each) => each > last && each < month)
  return between === undefined ? [] : [{ sentence: `Close ${between} first.`, possibleFrom: null, canOverride: false }]
}

function brokenBooks({ missing }: CloseFacts): Blocker[] {
  if (missing.length === 0) return []
  const rows = missing.reduce((sum, { requests }) => sum + requests, 0n)
  const times = [Math.min(...missing.map(({ start }) => start)), Math.max(...missing.map(({ end }) => end))]
  const [start = '', end = ''] = times.map((time) => `${new Date(time).toISOString().slice(0, 16).replace('T', ' ')}Z`)
  const what = rows > 0n ? `${rows} ${rows === 1n ? 'row is' : 'rows are'} missing from` : 'Costs have changed in'
  const sentence = `${what} the request log between ${start} and ${end}: the hourly sums have them. Run switchyard verify, and restore them from a backup.`
  return [{ sentence, possibleFrom: null, canOverride: true }]
}

function unsettled({ attributed, now }: CloseFacts): Blocker[] {
  const early = attributed.filter(({ cell }) => cell.settlesAt > now)
  return [...Map.groupBy(early, ({ cell }) => cell.provider)].toSorted().map(([provider, own]) => {
    const last = own.reduce((a, b) => (b.cell.settlesAt > a.cell.settlesAt ? b : a)).cell
    const from = new Date(last.settlesAt).toISOString().slice(0, 16).replace('T', ' ')
    return {
      sentence: `The report of ${provider} for ${last.period} can still change. The month can be closed from ${from}Z on; import the report again before.`,
      possibleFrom: last.settlesAt,
      canOverride: false,
    }
  })
}

/** Rows whose cost is not that of their tokens at the prices they began with. */
export function wrongCosts(rows: readonly { id: string; at: number }[], isMore: boolean): Blocker[] {
  const [first] = rows
  if (first === undefined) return []
  const count = `${isMore ? 'At least ' : ''}${rows.length} ${rows.length === 1 ? 'row has' : 'rows have'}`
  const at = new Date(first.at).toISOString()
  const sentence = `${count} another cost than tokens and prices give, the first ${first.id} at ${at}. Run switchyard verify.`
  return [{ sentence, possibleFrom: null, canOverride: true }]
}
