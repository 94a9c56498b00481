import type { Key, KeyValue } from './key.ts'
import type { Limits } from './limits.ts'
import type { Price, PriceList } from './pricing/price.ts'
import type { ModelTraits, Provider } from './provider.ts'
import type { Route } from './route.ts'

/** A model of the registry, ready for the hot path. */
export interface RegistryModel {
  provider: string
  model: string
  /** Other ids that mean this model: listed ones only, no id is ever guessed by its beginning. */
  aliases: readonly string[]
  traits: ModelTraits
  maxInputTokens: number | null
  capabilities: readonly string[]
  deprecated: boolean
  /** ISO date on which the provider turns it off. */
  shutdownDate: string | null
  mode: string
  note: string | null
  /** Compiled; without a known price its base is null. */
  price: Price
  /** Null while no price has ever been set. */
  priceVersion: number | null
  prices: PriceList | null
}

export interface Workspace {
  name: string
  createdAt: number
  limits: Limits | null
  routes: ReadonlyMap<string, Route>
}

/**
 * All control data as one immutable value. A call takes the snapshot it starts with and keeps it to its end; a change
 * replaces the whole, so that nobody ever sees half of one.
 */
export interface Snapshot {
  workspaces: ReadonlyMap<string, Workspace>
  /** By id. */
  keys: ReadonlyMap<string, Key>
  valuesByHash: ReadonlyMap<string, KeyValue>
  providers: ReadonlyMap<string, Provider>
  /** By provider, then by model id or listed alias. */
  registry: ReadonlyMap<string, ReadonlyMap<string, RegistryModel>>
}
