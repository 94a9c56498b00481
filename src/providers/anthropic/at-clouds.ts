import type { Omissions } from '../../domain/request/omissions.ts'

/** Of refused betas, and of the vendor's own service alone. */
const FIELDS = [
  'diagnostics',
  'speed',
  'system.*.cache_control.scope',
  'tools.*.cache_control.scope',
  'messages.*.content.*.cache_control.scope',
]

/** What a cloud that hosts the vendor's models does not take. Both have tool search under another name. */
export function omittedAtClouds(refusedBetas: readonly string[]): Omissions {
  return {
    values: new Map<string, string | null>([
      ...refusedBetas.map((beta) => [beta, null] as const),
      ['advanced-tool-use-2025-11-20', 'tool-search-tool-2025-10-19'],
    ]),
    fields: FIELDS,
  }
}
