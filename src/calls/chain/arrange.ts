import { drawOf, type MemberState, orderMembers, positionReason } from '../../domain/balance.ts'
import { isConfigured } from '../../domain/provider.ts'
import type { ChainEntry, Group, Place } from '../../domain/route.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { Circuits } from './circuits.ts'
import type { Traffic } from './traffic.ts'

export interface Arranging {
  circuits: Circuits
  traffic: Traffic
  /** 0 ≤ n < 1. */
  random(): number
}

/** The caller's side of it. */
export interface Arrival {
  /** What its calls of one conversation have in common; null: nothing is known. */
  session: string | null
  isStream: boolean
  snapshot: Snapshot
}

/** The order of one call. */
export interface Arranged {
  chain: ChainEntry[]
  /** Where the first place is a group with the call's session: the member that has the session's prompt cache. */
  home: ChainEntry | null
  /** Why a member has its position. */
  because: ReadonlyMap<ChainEntry, string>
}

/** Lays the groups out: the chosen member first, the others behind it, then the next place. */
export function arrange(places: readonly Place[], arrival: Arrival, parts: Arranging): Arranged {
  const because = new Map<ChainEntry, string>()
  let home: ChainEntry | null = null
  const chain = places.flatMap((place, index) => {
    if (!('members' in place)) return [place]
    const laid = lay(place, arrival, parts)
    for (const [entry, words] of laid.because) because.set(entry, words)
    if (index === 0) home = laid.home
    return laid.entries
  })
  return { chain, home, because }
}

function lay({ balance, isSticky, members }: Group, arrival: Arrival, { circuits, traffic, random }: Arranging) {
  const { isStream, snapshot } = arrival
  const session = isSticky ? arrival.session : null
  const isPinned = session !== null
  const states = members.map(({ entry, weight }): MemberState => {
    const provider = snapshot.providers.get(entry.provider)
    return {
      weight,
      isUnavailable: provider === undefined || !isConfigured(provider),
      running: traffic.running(entry),
      latencyMs: traffic.latencyMs(entry, isStream),
      draw: session === null ? random() : drawOf(session, `${entry.provider}/${entry.model}`),
    }
  })
  // Before health is considered: where the session has been so far.
  const [home] = isPinned ? orderMembers(balance, states, true) : []
  for (const [place, state] of states.entries()) {
    const entry = members[place]?.entry
    if (entry !== undefined && circuits.isSkipped(entry)) state.isUnavailable = true
  }
  const entries = orderMembers(balance, states, isPinned).flatMap((place) => members[place]?.entry ?? [])
  const total = members.reduce((sum, { weight }) => sum + weight, 0)
  const because = members.flatMap(({ entry }, place): [ChainEntry, string][] => {
    const state = states[place]
    return state === undefined ? [] : [[entry, positionReason(balance, state, total, isPinned)]]
  })
  return { entries, because, home: home === undefined ? null : (members[home]?.entry ?? null) }
}
