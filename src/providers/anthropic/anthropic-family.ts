import type { Family } from '../family.ts'
import { modelsFromWire } from './catalog.ts'
import { chatTarget, modelsTarget } from './endpoint.ts'
import { failureFromWire } from './failure.ts'
import { toWire } from './request.ts'
import { fromWire } from './response.ts'

/** The Messages API, version 2023-06-01, and servers compatible with it. */
export const anthropicFamily: Family = {
  builtin: {
    name: 'anthropic',
    apiKeyVariable: 'ANTHROPIC_API_KEY',
    baseUrlVariable: 'ANTHROPIC_BASE_URL',
    modelPrefixes: ['claude-'],
  },
  chatTarget,
  modelsTarget,
  toWire,
  isVerbatim: false,
  fromWire,
  failureFromWire,
  modelsFromWire,
  requestIdHeader: 'request-id',
  baseUrlHint: 'The base URL stands without /v1; does it hold a path too many?',
}
