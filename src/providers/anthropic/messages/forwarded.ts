const OURS = /^anthropic-/
/** A caller's credentials are for the gateway, under any name. */
const SECRET = /key|auth|token|secret|cookie/

/** In place of ours: the version and the betas that the caller's client speaks, and what else belongs to this format. */
export function forwarded(headers: Iterable<readonly [name: string, value: string]>): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const [name, value] of headers) {
    const lower = name.toLowerCase()
    if (OURS.test(lower) && !SECRET.test(lower)) fields[lower] = value
  }
  return fields
}
