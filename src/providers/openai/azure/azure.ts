import type { Vendor } from '../dialect/vendor.ts'

/** The same models behind another door: other paths, another header for the key, other errors. */
export const azure: Vendor = {
  takesCacheKey: true,
  baseUrl: null,
  source: 'learn.microsoft.com/azure/ai-foundry/openai (api-version-lifecycle, reference), openai 7.53.0, 2026-11-16',
  options: { auth_header: 'api-key' },
  speaks: ['responses'],
  isAzure: true,
  hints: {
    address: 'Is it the address of the resource, and does the api-version exist?',
    list: 'These are models, not deployments, which cannot be listed: aliases must name deployments.',
  },
  isFaithful: true,
  draws: 'and-edits',
}
