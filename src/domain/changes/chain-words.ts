import { fieldsOf, seconds, valueWords, type Wording } from './value-words.ts'

/** An entry of a chain, or a group of entries. */
type Place = Record<string, unknown>

/**
 * What became of a chain. Entries are matched by provider and model; of those left over, two at the same position are
 * one entry that changed.
 */
export function chainWords(before: unknown, after: unknown): string[] {
  const [olds, news] = [placesOf(before), placesOf(after)]
  const pairs = matched(olds, news)
  const oldOf = new Map(pairs.map(({ from, to }) => [to, from]))
  const gone = olds.flatMap((place, index) =>
    pairs.some(({ from }) => from === index) ? [] : [`Entry ${index + 1} removed: ${nameOf(place)}`],
  )
  const rest = news.flatMap((place, index) => {
    const from = oldOf.get(index)
    const old = from === undefined ? undefined : olds[from]
    return old === undefined ? [`Entry ${index + 1} added: ${nameOf(place)}`] : placeWords(old, place, index + 1)
  })
  return [...gone, ...rest, ...movedWords(pairs, news)]
}

interface Pair {
  from: number
  to: number
}

function matched(olds: readonly Place[], news: readonly Place[]): Pair[] {
  const pairs: Pair[] = []
  const isFree = (side: 'from' | 'to', index: number) => !pairs.some((pair) => pair[side] === index)
  for (const [to, place] of news.entries()) {
    const from = olds.findIndex((old, index) => isFree('from', index) && identity(old) === identity(place))
    if (from >= 0) pairs.push({ from, to })
  }
  for (const to of news.keys()) {
    if (to < olds.length && isFree('to', to) && isFree('from', to)) pairs.push({ from: to, to })
  }
  return pairs.sort((a, b) => a.to - b.to)
}

/** The fewest entries whose moving explains the new order. */
function movedWords(pairs: readonly Pair[], news: readonly Place[]): string[] {
  const stayed = longestRising(pairs.map(({ from }) => from))
  return pairs
    .filter(({ from }) => !stayed.has(from))
    .map(({ from, to }) => `${nameOf(news[to] ?? {})} moved from position ${from + 1} to ${to + 1}`)
}

/** A chain is short. */
function longestRising(numbers: readonly number[]): Set<number> {
  const runs: number[][] = []
  for (const number of numbers) {
    const before = runs.filter((run) => (run.at(-1) ?? -1) < number)
    runs.push([...before.reduce<number[]>((most, run) => (run.length > most.length ? run : most), []), number])
  }
  return new Set(runs.reduce((most, run) => (run.length > most.length ? run : most), []))
}

function placeWords(before: Place, after: Place, position: number): string[] {
  const [olds, news] = [membersOf(before), membersOf(after)]
  if (olds === null || news === null) {
    const isRenamed = identity(before) !== identity(after)
    const renamed = isRenamed ? [`Entry ${position} changed from ${nameOf(before)} to ${nameOf(after)}`] : []
    const isSingle = olds === null && news === null
    return isSingle ? [...renamed, ...entryWords(`Entry ${position}`, before, after)] : renamed
  }
  const name = `Entry ${position}`
  return [
    ...olds
      .filter((old) => !news.some((each) => identity(each) === identity(old)))
      .map((old) => `${name}: ${nameOf(old)} removed from the group`),
    ...news.flatMap((member) => {
      const old = olds.find((each) => identity(each) === identity(member))
      if (old === undefined) return [`${name}: ${nameOf(member)} added to the group`]
      return entryWords(`${name} (${nameOf(member)})`, { weight: 1, ...old }, { weight: 1, ...member })
    }),
    ...valueWords(`${name}: balancing`, BALANCES[String(before['balance'])], BALANCES[String(after['balance'])]),
    ...valueWords(`${name}: sticky sessions`, before['sticky'] ?? true, after['sticky'] ?? true),
    ...valueWords(`${name}: hedging`, before['hedge_after_ms'], after['hedge_after_ms'], SECONDS),
  ]
}

const BALANCES: Record<string, string> = {
  weighted: 'by weight',
  least_busy: 'least busy first',
  fastest: 'fastest first',
}

const SECONDS: Wording = { text: seconds, unit: 's' }

const ENTRY_FIELDS: readonly [field: string, label: string, wording?: Wording][] = [
  ['timeout_ms', 'timeout', SECONDS],
  ['idle_timeout_ms', 'idle timeout', SECONDS],
  ['retries', 'retries'],
  ['max_output_tokens', 'default output limit', { unit: 'tokens' }],
  ['hedge_after_ms', 'hedging', SECONDS],
  ['weight', 'weight'],
]

function entryWords(name: string, before: Place, after: Place): string[] {
  return ENTRY_FIELDS.flatMap(([field, label, wording]) =>
    valueWords(`${name}: ${label}`, before[field], after[field], wording),
  )
}

function placesOf(chain: unknown): Place[] {
  return Array.isArray(chain) ? chain.map(fieldsOf) : []
}

function membersOf(place: Place): Place[] | null {
  return Array.isArray(place['members']) ? place['members'].map(fieldsOf) : null
}

/** Entries with the same identity are the same entry, with any settings. */
function identity(place: Place): string {
  const members = membersOf(place)
  return members === null ? nameOf(place) : members.map(nameOf).sort().join(' + ')
}

function nameOf(place: Place): string {
  const members = membersOf(place)
  return members === null ? `${place['provider']}/${place['model']}` : `a group of ${members.map(nameOf).join(' and ')}`
}
