import type { Raises } from './budgets/raises.ts'
import type { Guardrail } from './content/guardrail.ts'
import type { ContentSettings } from './content/settings.ts'
import type { Key, KeyValue } from './key.ts'
import type { Limits } from './limits.ts'
import type { LoopSettings } from './loops/settings.ts'
import type { Price, PriceList } from './pricing/price.ts'
import type { CompiledResale } from './pricing/resale.ts'
import type { ModelTraits, Provider } from './provider.ts'
import type { Route } from './route.ts'
import type { TokenIssuer } from './tokens/token-issuer.ts'

/** A model of the registry, ready for the hot path. */
export interface RegistryModel {
  provider: string
  model: string
  /** Other ids of this model: only listed ones, no id is guessed by its prefix. */
  aliases: readonly string[]
  traits: ModelTraits
  maxInputTokens: number | null
  capabilities: readonly string[]
  deprecated: boolean
  /** ISO date on which the provider retires it. */
  shutdownDate: string | null
  mode: string
  note: string | null
  /** Compiled; its base is null while the price is unknown. */
  price: Price
  /** Null while no price has been set. */
  priceVersion: number | null
  prices: PriceList | null
}

export interface Workspace {
  name: string
  createdAt: number
  limits: Limits | null
  /** Whether its calls may stream; null: as the gateway's default says. */
  streaming: boolean | null
  /** How what its calls say is stored; null: not at all. */
  content: ContentSettings | null
  /** The external check of its calls; null: none. */
  guardrail: Guardrail | null
  /** False: only its routes can be called, no model by its own id. */
  hasDirectModels: boolean
  /** What it charges its own customers; null: nothing. */
  resale: CompiledResale | null
  /** When its sessions count as loops; null: they are not watched. */
  loops: Loops | null
  routes: ReadonlyMap<string, Route>
  /** One of its routes stores answers. */
  hasCache?: boolean
}

/** As calls use it. */
export interface Loops {
  settings: LoopSettings
  /** When a person has recently resumed sessions, by their names. Unix milliseconds. */
  resumed: ReadonlyMap<string, number>
}

/** A workspace's own word wins over the gateway's default. */
export function isStreaming(workspace: Workspace | undefined, fallback: boolean): boolean {
  return workspace?.streaming ?? fallback
}

/** A line of a log need not name them all. */
const MOST_NAMED = 20

/** Where calls may stream, as a sentence: the default, and the workspaces with their own setting. */
export function streamingText(words: Iterable<readonly [name: string, own: boolean | null]>, isOn: boolean): string {
  const all = [...words].sort(([a], [b]) => (a < b ? -1 : 1))
  const exceptions = [true, false].flatMap((word) => {
    const names = all.filter(([, own]) => own === word).map(([name]) => name)
    const more = names.length > MOST_NAMED ? [`${names.length - MOST_NAMED} more`] : []
    return names.length === 0 ? [] : `${onOff(word)} in ${[...names.slice(0, MOST_NAMED), ...more].join(', ')}`
  })
  return [`${onOff(isOn)} by default`, ...exceptions].join('; ')
}

export function onOff(isOn: boolean): 'on' | 'off' {
  return isOn ? 'on' : 'off'
}

/**
 * All control data as one immutable value. A call keeps the snapshot that it starts with; a change replaces the whole
 * value, so no reader sees half of a change.
 */
export interface Snapshot {
  workspaces: ReadonlyMap<string, Workspace>
  /** By id. */
  keys: ReadonlyMap<string, Key>
  valuesByHash: ReadonlyMap<string, KeyValue>
  /** By issuer, as tokens name it; left out where no tokens are accepted. */
  tokenIssuers?: ReadonlyMap<string, TokenIssuer>
  /** Unix milliseconds at which limits change, because an opening spend no longer counts; null: never. */
  openingsEnd?: number | null
  /** Until when the corrections (budgets/corrections.ts) and raises in limits count as they are; left out: there are none. */
  correctionsEnd?: number
  /** What budgets are raised by; left out: nothing. */
  raises?: Raises
  providers: ReadonlyMap<string, Provider>
  /** By provider, then by model id or listed alias. */
  registry: ReadonlyMap<string, ReadonlyMap<string, RegistryModel>>
}
