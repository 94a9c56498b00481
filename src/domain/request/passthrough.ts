import { z } from 'zod'
import { type Worded, worded } from '../wording/worded.ts'

const LETTERS = /^(?:\/[\w~:@+=,;!$&'().%-]+)+\/?$/
const EVASIVE = /%(?:2f|5c|2e|25|0\d|1[\da-f]|7f)|\/\.{1,2}(?:\/|$)/i

/** Why a path is passed to no provider: servers differ in how they read such a one. Null: it is plain. */
export function pathProblem(path: string): Worded | null {
  if (EVASIVE.test(path))
    return worded`The path may have no dot segments, and no encoded slashes, dots or percent signs.`
  if (!LETTERS.test(path)) return worded`The path may have no empty segments, and letters of a URL only.`
  return null
}

/** `/v1/files` is that path alone, `/v1/files/*` all below it. */
export const PassedPaths = z
  .array(z.string().max(300).refine(isPattern, 'expected a path such as /v1/files, or /v1/files/* for all below it'))
  .max(100)

function isPattern(text: string): boolean {
  return pathProblem(text.replace(/\/\*$/, '') || '/x') === null
}

export function isPassed(path: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => (pattern.endsWith('/*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern))
}

/** Fields of one connection (RFC 9110, 7.6.1), and those that say who calls. */
const NEVER_PASSED: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'expect'],
  ...['proxy-authenticate', 'proxy-authorization', 'authorization', 'x-api-key', 'api-key', 'cookie', 'set-cookie'],
  ...['host', 'content-length', 'forwarded', 'via', 'x-real-ip', 'x-goog-api-key', 'traceparent', 'tracestate'],
])
const OURS = /^(?:x-gateway-|x-forwarded-|x-litellm-)/

/** Header fields that go on to the other side: none of the connection, and none that has a secret of this side. */
export function passedFields(
  fields: Iterable<readonly [name: string, value: string]>,
  hasSecret: (value: string) => boolean,
): Record<string, string> {
  const given = [...fields].map(([name, value]) => [name.toLowerCase(), value] as const)
  const named = given.flatMap(([name, value]) => (name === 'connection' ? value.toLowerCase().split(/\s*,\s*/) : []))
  return Object.fromEntries(
    given.filter(
      ([name, value]) => !NEVER_PASSED.has(name) && !OURS.test(name) && !named.includes(name) && !hasSecret(value),
    ),
  )
}
