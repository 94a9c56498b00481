import type { Provider } from '../domain/provider.ts'
import type { Family } from '../providers/family.ts'
import { wordsOf } from './read-outcome.ts'

/** The provider's own id of a call; null: its answer has none. */
export function upstreamRequestId(
  head: Parameters<typeof wordsOf>[0],
  family: Family,
  provider: Provider,
): string | null {
  const id = wordsOf(head, family.requestIdHeader, provider)
  if (id !== null || family.otherRequestIdHeaders === undefined) return id
  for (const name of family.otherRequestIdHeaders) {
    const other = wordsOf(head, name, provider)
    if (other !== null) return other
  }
  return null
}
