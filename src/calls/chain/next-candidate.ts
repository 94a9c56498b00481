import { GatewayError } from '../../domain/errors.ts'
import type { ChainEntry } from '../../domain/route.ts'
import { assess, type Candidate, type ChainDeps, type Fitness, type Situation } from './candidate.ts'

export const CIRCUIT_REASON = 'skipped: it has been failing or asked to be left alone'

/** Told of every entry that is passed over, in order. */
export type PassOver = (entry: ChainEntry, reason: string, fitness: Fitness) => void

/**
 * The entry to call next, from this position of the chain on; null when none is left. An entry whose circuit is open
 * is passed over only while a later one can serve: the last usable entry is always tried.
 */
export function nextCandidate(
  situation: Situation,
  from: number,
  deps: ChainDeps,
  passOver: PassOver,
): Candidate | null {
  const { chain } = situation
  for (const [position, entry] of chain.entries()) {
    if (position < from) continue
    const fitness = assessed(entry, position, situation, deps)
    if (fitness.kind !== 'usable') passOver(entry, fitness.reason, fitness)
    else if (!deps.circuits.isSkipped(entry) || !hasUsableAfter(position, situation, deps)) return fitness.candidate
    else passOver(entry, CIRCUIT_REASON, fitness)
  }
  return null
}

/** An entry that would refuse the request, or call it a mistake, is no reason to pass over one that takes it. */
function hasUsableAfter(position: number, situation: Situation, deps: ChainDeps): boolean {
  return situation.chain.some(
    (entry, later) => later > position && assess(entry, later, situation, deps).kind === 'usable',
  )
}

/** A caller's mistake ends the call as soon as an entry sees it: no entry could serve it. */
function assessed(entry: ChainEntry, position: number, situation: Situation, deps: ChainDeps) {
  const fitness = assess(entry, position, situation, deps)
  if (fitness.kind === 'invalid') throw new GatewayError('invalid_request', fitness.message)
  return fitness
}
