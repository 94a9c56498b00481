import { type BenchOptions, openBench } from './bench.ts'
import { openTarget, type TargetOptions } from './open-target.ts'
import type { Finding, Proof } from './proof.ts'
import { budget } from './proofs/budget.ts'
import { hangUp } from './proofs/hang-up.ts'
import { hostile } from './proofs/hostile.ts'
import { kills } from './proofs/kills.ts'
import { memory } from './proofs/memory.ts'
import { promptCache } from './proofs/prompt-cache.ts'
import { secrets } from './proofs/secrets.ts'

export const PROOFS: readonly Proof[] = [budget, hangUp, kills, hostile, memory, promptCache, secrets]

export interface Proved extends Finding, Pick<Proof, 'id' | 'name' | 'promise' | 'refutedBy'> {
  seconds: number
}

export interface Verdict {
  holds: boolean
  seed: number
  proofs: readonly Proved[]
  /** Another gateway; null: this one. */
  target: string | null
  /** What cannot be asked of another one, and why. */
  notAsked: readonly (Pick<Proof, 'id' | 'name'> & { reason: string })[]
}

export interface ProveOptions extends BenchOptions {
  proofs: readonly Proof[]
  /** Another gateway in place of one of this program. */
  target?: TargetOptions
  onBegin(proof: Proof, place: number): void
  onEnd(proved: Proved): void
}

/** Tries each promise with a gateway of its own. A proof that cannot be carried out has not held. */
export async function prove({ proofs, onBegin, onEnd, ...options }: ProveOptions): Promise<Verdict> {
  const proved: Proved[] = []
  const notAsked = proofs.flatMap((proof) => {
    const reason = whyNotAsked(proof, options.target)
    return reason === null ? [] : { id: proof.id, name: proof.name, reason }
  })
  const asked = proofs.filter((proof) => whyNotAsked(proof, options.target) === null)
  for (const [place, proof] of asked.entries()) {
    onBegin(proof, place)
    const began = performance.now()
    const finding = await tryOnce(proof, options)
    const { id, name, promise, refutedBy } = proof
    const seconds = Math.round((performance.now() - began) / 100) / 10
    const each = { id, name, promise, refutedBy, seconds, ...finding }
    proved.push(each)
    onEnd(each)
  }
  const holds = proved.every(({ problems }) => problems.length === 0)
  return { holds, seed: options.seed, proofs: proved, target: options.target?.url ?? null, notAsked }
}

export function whyNotAsked({ id, at }: Proof, target: TargetOptions | undefined): string | null {
  if (target === undefined) return null
  if (typeof at === 'string') return at
  return id === 'memory' && target.pid === null ? 'without --pid its memory is not known' : null
}

async function tryOnce(proof: Proof, options: BenchOptions & Pick<ProveOptions, 'target'>): Promise<Finding> {
  try {
    if (options.target !== undefined && typeof proof.at !== 'string') {
      await using target = await openTarget(options.target, options)
      return await proof.at(target)
    }
    await using bench = await openBench(options)
    return await proof.run(bench)
  } catch (error) {
    return { figures: {}, problems: [`it could not be carried out: ${(error as Error).message}`] }
  }
}
