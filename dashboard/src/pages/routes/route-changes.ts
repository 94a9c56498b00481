import { type Draft, type DraftEntry, nameOf } from './route-draft.ts'

/** What is different, one sentence each: read before it is saved, and when two people changed the same route. */
export function changesBetween(before: Draft, after: Draft): string[] {
  return [
    ...(before.description.trim() === after.description.trim() ? [] : ['The description is another']),
    ...(before.interchangeable === after.interchangeable
      ? []
      : [`The models are ${after.interchangeable ? '' : 'not '}interchangeable for embeddings`]),
    ...removed(before, after),
    ...after.chain.flatMap((entry, index) => changesOfEntry(before, entry, index)),
    ...moved(before, after),
  ]
}

function removed(before: Draft, after: Draft): string[] {
  const kept = new Set(after.chain.map(({ id }) => id))
  return before.chain.filter(({ id }) => !kept.has(id)).map((entry) => `${nameOf(entry)} is removed`)
}

function changesOfEntry(before: Draft, entry: DraftEntry, index: number): string[] {
  const former = before.chain.find(({ id }) => id === entry.id)
  if (former === undefined) {
    const isEmpty = entry.provider === '' && entry.model.trim() === ''
    return [`${isEmpty ? 'An entry' : nameOf(entry)} is added at place ${index + 1}`]
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
  return changes
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
      const from = (formerPlace.get(entry.id) ?? 0) + 1
      return `${nameOf(entry)} moves from place ${from} to ${after.chain.indexOf(entry) + 1}`
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
