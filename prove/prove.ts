import { type BenchOptions, openBench } from './bench.ts'
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
}

export interface ProveOptions extends BenchOptions {
  proofs: readonly Proof[]
  onBegin(proof: Proof, place: number): void
  onEnd(proved: Proved): void
}

/** Tries each promise with a gateway of its own. A proof that cannot be carried out has not held. */
export async function prove({ proofs, onBegin, onEnd, ...options }: ProveOptions): Promise<Verdict> {
  const proved: Proved[] = []
  for (const [place, proof] of proofs.entries()) {
    onBegin(proof, place)
    const began = performance.now()
    const finding = await tryOnce(proof, options)
    const { id, name, promise, refutedBy } = proof
    const seconds = Math.round((performance.now() - began) / 100) / 10
    const each = { id, name, promise, refutedBy, seconds, ...finding }
    proved.push(each)
    onEnd(each)
  }
  return { holds: proved.every(({ problems }) => problems.length === 0), seed: options.seed, proofs: proved }
}

async function tryOnce(proof: Proof, options: BenchOptions): Promise<Finding> {
  try {
    await using bench = await openBench(options)
    return await proof.run(bench)
  } catch (error) {
    return { figures: {}, problems: [`it could not be carried out: ${(error as Error).message}`] }
  }
}
