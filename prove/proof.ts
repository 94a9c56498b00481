import type { Bench } from './bench.ts'
import type { Target } from './target.ts'

/** What was found out: figures for the page, and every broken promise as a sentence. */
export interface Finding {
  figures: Readonly<Record<string, string | number>>
  problems: readonly string[]
}

/** A promise of the gateway that can be tried on any machine. */
export interface Proof {
  /** As the command line names it. */
  id: string
  name: string
  /** In one sentence, as the reader knows it. */
  promise: string
  /** What would show that it does not hold. */
  refutedBy: string
  run(bench: Bench): Promise<Finding>
  /** The same of another gateway, over HTTP alone; a text: why it cannot be asked. */
  at: ((target: Target) => Promise<Finding>) | string
}
