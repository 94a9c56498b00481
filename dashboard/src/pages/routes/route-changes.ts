import { type Draft, type DraftEntry, nameOf, placesOf, standingOf } from './route-draft.ts'

/** What is different, one sentence each: read before it is saved, and when two people changed the same route. */
export function changesBetween(before: Draft, after: Draft): string[] {
  return [
    ...(before.description.trim() === after.description.trim() ? [] : ['The description changes']),
    ...(before.interchangeable === after.interchangeable
      ? []
      : [`The models are ${after.interchangeable ? '' : 'not '}interchangeable for embeddings`]),
    ...(before.compaction === after.compaction
      ? []
      : [`Codex conversations are ${after.compaction === 'emulate' ? 'compacted' : 'not compacted'}`]),
    ...(before.promptCache === after.promptCache
      ? []
      : [`Prompts without a marker are ${after.promptCache === 'auto' ? '' : 'not '}cached by the provider`]),
    ...(before.shared === after.shared
      ? []
      : [after.shared ? 'Every workspace can call it' : 'Only its workspace can call it']),
    ...(before.defaults === after.defaults ? [] : [`Default parameters: ${oneLine(after.defaults)}`]),
    ...(cacheText(before) === cacheText(after) ? [] : [`Answers are ${cacheText(after)}`]),
    ...removed(before, after),
    ...after.chain.flatMap((entry) => changesOfEntry(before, after, entry)),
    ...changesOfPlaces(before, after),
    ...moved(before, after),
  ]
}

function oneLine(defaults: string): string {
  return defaults.trim() === '' ? 'none' : defaults.replace(/\s+/g, ' ')
}

/** How answers are cached, as text. */
function cacheText({ cache }: Draft): string {
  if (cache === null) return 'not cached'
  const whose = cache.scope === 'workspace' ? 'for the whole workspace' : 'for each key'
  return `cached for ${cache.ttl_seconds} s ${whose}${cache.tools === true ? ', with tools, too' : ''}`
}

function removed(before: Draft, after: Draft): string[] {
  const kept = new Set(after.chain.map(({ id }) => id))
  return before.chain.filter(({ id }) => !kept.has(id)).map((entry) => `${nameOf(entry)} is removed`)
}

function changesOfEntry(before: Draft, after: Draft, entry: DraftEntry): string[] {
  const former = before.chain.find(({ id }) => id === entry.id)
  if (former === undefined) {
    const isEmpty = entry.provider === '' && entry.model.trim() === ''
    return [`${isEmpty ? 'An entry' : nameOf(entry)} is added at place ${standingOf(after, entry.id).place + 1}`]
  }
  const changes: string[] = []
  if (nameOf(former) !== nameOf(entry)) changes.push(`${nameOf(former)} becomes ${nameOf(entry)}`)
  for (const [field, words] of [
    ['timeoutMs', 'timeout'],
    ['idleTimeoutMs', 'idle timeout'],
  ] as const) {
    if (former[field] === entry[field]) continue
    changes.push(`${nameOf(entry)}: ${words} ${timeoutText(former[field])} → ${timeoutText(entry[field])}`)
  }
  if (former.retries !== entry.retries) {
    changes.push(`${nameOf(entry)}: retries ${former.retries ?? 'default'} → ${entry.retries ?? 'default'}`)
  }
  if (former.maxOutputTokens !== entry.maxOutputTokens) {
    const [from, to] = [former.maxOutputTokens ?? 'default', entry.maxOutputTokens ?? 'default']
    changes.push(`${nameOf(entry)}: max output ${from} → ${to}`)
  }
  if (former.hedgeAfterMs !== entry.hedgeAfterMs && standingOf(after, entry.id).at === 0) {
    changes.push(`${nameOf(entry)}: hedged after ${hedgeText(former)} → ${hedgeText(entry)}`)
  }
  if (former.defaults !== entry.defaults) {
    changes.push(`${nameOf(entry)}: default parameters ${oneLine(entry.defaults)}`)
  }
  if (former.weight !== entry.weight) {
    changes.push(`${nameOf(entry)}: weight ${former.weight ?? 1} → ${entry.weight ?? 1}`)
  }
  return changes
}

/** Who shares a place, and how. */
function changesOfPlaces(before: Draft, after: Draft): string[] {
  const former = placesOf(before)
  return placesOf(after).flatMap((entries, index) => {
    const [first] = entries
    const known = former.find((others) => others.some(({ id }) => id === first?.id))
    if (first === undefined || (entries.length === 1 && (known?.length ?? 1) === 1)) return []
    const names = entries.map(nameOf).join(' and ')
    if (entries.length === 1) return [`${names} has place ${index + 1} alone`]
    const how = `${BALANCE_WORDS[first.balance].toLowerCase()}${first.sticky ? '' : ', ignoring sessions'}`
    const isSame =
      known !== undefined &&
      known.length === entries.length &&
      entries.every(({ id }) => known.some((other) => other.id === id)) &&
      known[0]?.balance === first.balance &&
      known[0]?.sticky === first.sticky
    return isSame ? [] : [`${names} share place ${index + 1}: ${how}`]
  })
}

export const BALANCE_WORDS: Record<DraftEntry['balance'], string> = {
  weighted: 'By weight',
  least_busy: 'Least busy first',
  fastest: 'Fastest first',
}

function hedgeText({ hedgeAfterMs }: DraftEntry): string {
  return hedgeAfterMs === null ? 'never' : timeoutText(hedgeAfterMs)
}

export function timeoutText(timeoutMs: number | null): string {
  return timeoutMs === null ? 'default' : `${timeoutMs / 1000} s`
}

/** The fewest entries whose moving explains the new order, with their places. */
function moved(before: Draft, after: Draft): string[] {
  const formerPlace = new Map(before.chain.map(({ id }, index) => [id, index]))
  const kept = after.chain.filter(({ id }) => formerPlace.has(id))
  const stayed = longestRising(kept.map(({ id }) => formerPlace.get(id) ?? 0))
  return kept
    .filter(({ id }) => !stayed.has(formerPlace.get(id) ?? 0))
    .map((entry) => {
      const [from, to] = [standingOf(before, entry.id).place + 1, standingOf(after, entry.id).place + 1]
      return from === to
        ? `${nameOf(entry)} moves within place ${to}`
        : `${nameOf(entry)} moves from place ${from} to ${to}`
    })
}

/** The longest run of numbers that rise from left to right; a chain is short. */
function longestRising(numbers: readonly number[]): Set<number> {
  const best: number[][] = []
  for (const [index, number] of numbers.entries()) {
    const before = best.slice(0, index).filter((run) => (run.at(-1) ?? -1) < number)
    const longest = before.reduce<number[]>((most, run) => (run.length > most.length ? run : most), [])
    best.push([...longest, number])
  }
  return new Set(best.reduce((most, run) => (run.length > most.length ? run : most), []))
}

/** Gives the entries of one draft the ids of another's where they are the same provider and model. */
export function recognised(known: Draft, other: Draft): Draft {
  const free = [...known.chain]
  let next = Math.max(0, ...known.chain.map(({ id }) => id))
  const chain = other.chain.map((entry) => {
    const place = free.findIndex((candidate) => nameOf(candidate) === nameOf(entry))
    const same = place < 0 ? undefined : free.splice(place, 1)[0]
    if (same !== undefined) return { ...entry, id: same.id }
    next += 1
    return { ...entry, id: next }
  })
  return { ...other, chain }
}
