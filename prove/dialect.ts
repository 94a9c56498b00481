import type { Simulator } from '../simulator/simulator.ts'
import type { Answer, Key, Limits, Target } from './target.ts'

/** Calls the target with its admin key; throws where it does not succeed. */
// biome-ignore lint/suspicious/noExplicitAny: whatever a gateway answers.
export type Manage = (method: string, path: string, body?: unknown) => Promise<any>

export interface Opening {
  manage: Manage
  simulator: Simulator
  /** Begins the name of everything that is made there. */
  tag: string
  /** Called with what removes it again. */
  defer(remove: () => Promise<unknown>): void
}

/** How another gateway is managed. */
export interface Dialect extends Pick<Target, 'adminPath'> {
  isRefusal(answer: Answer): boolean
  /** Makes the models; what they are called there, by their names in the proofs. */
  addModels(opening: Opening): Promise<ReadonlyMap<string, string>>
  newKey(opening: Opening, models: readonly string[], limits: Limits): Promise<Key>
  keyIds(manage: Manage): Promise<string[]>
  spent(manage: Manage, key: Key): Promise<bigint>
}
