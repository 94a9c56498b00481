import { refuse } from '../../../domain/request/rejection.ts'
import { worded } from '../../../domain/wording/worded.ts'
import type { Vendor } from '../dialect/vendor.ts'

/** Drops by itself what a model does not take. Errors come inside answers, too. */
export const openrouter: Vendor = {
  baseUrl: 'https://openrouter.ai/api/v1',
  source: '@openrouter/sdk 1.3.19, openrouter.ai/docs (parameters, errors, reasoning tokens), 2026-11-16',
  options: { reasoning_field: 'reasoning' },
  request(body, { isStrict }) {
    const extra = isStrict ? EXTRAS.find((name) => (body[name] ?? null) !== null) : undefined
    if (extra !== undefined)
      refuse(worded`${extra}: a hard budget applies, and what this costs is unknown; leave it out`)
  },
}

/** Other models, and services beside the model. */
const EXTRAS = ['models', 'plugins', 'web_search_options', 'preset']
