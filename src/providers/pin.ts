import type { Provider } from '../domain/provider.ts'
import type { Adjustment } from '../domain/request/adjustment.ts'
import type { JsonObject } from '../domain/request/call-request.ts'

/** A field added under a hard budget where the caller chose nothing: an account default may cost more. */
export interface Pin {
  field: string
  value: string
  /** The highest price of the account without it, in percent of the list price. */
  percent: number
  /** The same where the provider refuses the field: it either has no such default or insists on it. */
  refusedPercent: number
}

/** Adds what is missing and reports it. */
export function pinned(body: JsonObject, pins: readonly Pin[]): Adjustment[] {
  return pins
    .filter(({ field }) => (body[field] ?? null) === null)
    .map(({ field, value }) => {
      body[field] = value
      return { field, value, reason: 'pinned' }
    })
}

/** The vendor itself, or the provider named after it: only there the fields are certain to be known. */
export function isVendor(provider: Provider, builtinName: string, vendorUrl: string): boolean {
  if (provider.baseUrl === null || provider.name === builtinName) return true
  return URL.parse(provider.baseUrl)?.host === new URL(vendorUrl).host
}
