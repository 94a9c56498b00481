import { isObject, type JsonObject, objectOrEmpty, objectsIn } from '../json.ts'

const UNKNOWN = 'Extra inputs are not permitted'

/** Fields of tools, and the beta without which they are unknown. */
const OF_TOOLS = [
  ['defer_loading', 'tool-search-tool-2025-10-19'],
  ['eager_input_streaming', 'fine-grained-tool-streaming-2025-05-14'],
] as const

/**
 * What clouds refuse of a body that the vendor's own service takes, in the words of both: fields of betas that were not
 * named, and those of features that they do not offer. Null: nothing.
 */
export function problemInCloud(body: JsonObject, betas: readonly unknown[]): string | null {
  for (const [at, tool] of objectsIn(body['tools']).entries()) {
    const field = OF_TOOLS.find(([name, beta]) => name in tool && !betas.includes(beta))?.[0]
    if (field !== undefined) return `tools.${at}.custom.${field}: ${UNKNOWN}`
  }
  if ('context_management' in body && !betas.includes('context-management-2025-06-27')) {
    return `context_management: ${UNKNOWN}`
  }
  if ('diagnostics' in body) return `diagnostics: ${UNKNOWN}`
  const scoped = objectsIn(body['system']).findIndex(
    ({ cache_control: marker }) => isObject(marker) && 'scope' in objectOrEmpty(marker),
  )
  return scoped < 0 ? null : `system.${scoped}.cache_control.ephemeral.scope: ${UNKNOWN}`
}
