import type { Provider } from '../../../domain/provider.ts'
import { PLAIN_TEXT } from '../completions/completing.ts'
import { VENDORS } from '../presets/vendors.ts'
import type { Options } from './options.ts'
import type { Vendor } from './vendor.ts'

/** How the server of a row differs from the vendor's own service: what its preset knows, and its own options. */
export interface Dialect {
  vendor: Vendor
  options: Options
}

/** A row with options and no preset. */
const NO_VENDOR: Vendor = {
  baseUrl: null,
  source: '',
  options: {},
  isFaithful: true,
  moderates: 'all',
  completes: PLAIN_TEXT,
  draws: 'and-edits',
  transcribes: true,
  talks: true,
}

/** Null: the row says nothing, and everything is as at the vendor's own service. */
export function dialectOf({ preset, settings }: Pick<Provider, 'preset' | 'settings'>): Dialect | null {
  if (preset === undefined && isEmpty(settings)) return null
  const vendor = (preset === undefined ? undefined : VENDORS.get(preset)) ?? NO_VENDOR
  return { vendor, options: { ...vendor.options, ...settings } }
}

/** Forms send an empty object for unset settings. */
export function isEmpty(settings: Provider['settings']): boolean {
  for (const _ in settings) return false
  return true
}
