import { VENDORS } from './openai/presets/vendors.ts'

/** What is known of a vendor whose servers speak a family's format. */
export interface Preset {
  family: string
  /** Null: every installation has its own. */
  baseUrl: string | null
}

/** Every preset, by its name. */
export const PRESETS: ReadonlyMap<string, Preset> = new Map(
  [...VENDORS].map(([name, { baseUrl }]) => [name, { family: 'openai', baseUrl }]),
)
