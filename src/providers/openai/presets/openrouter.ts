import type { Vendor } from '../dialect/vendor.ts'

/** Drops unsupported parameters. Errors can also come inside answers. */
export const openrouter: Vendor = {
  baseUrl: 'https://openrouter.ai/api/v1',
  source: '@openrouter/sdk 1.3.19, openrouter.ai/docs (parameters, errors, reasoning tokens), 2026-11-16',
  options: { reasoning_field: 'reasoning' },
  takesMarkers: true,
}
