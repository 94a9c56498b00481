import { isUtf8 } from 'node:buffer'
import { isJsonObject } from '../request/call-request.ts'
import { repeatedName } from '../request/json-names.ts'
import type { Claims } from './token-rules.ts'

const LONGEST_TOKEN = 8_192
const LONGEST_HEADER = 1_368
const SHAPE = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/
const TYPES = [undefined, 'jwt', 'at+jwt', 'application/at+jwt']

export interface ReadToken {
  algorithm: string
  /** Which key has signed it; only ever looked up among the keys of its issuer. */
  keyId: string | undefined
  /** Not yet verified. */
  claims: Claims
}

/**
 * A JSON Web Token in its compact form, read strictly: one spelling of each part, no name twice. Null for everything
 * else, and for what would extend how it is verified (`crit`). Other fields of the header are not looked at: a token
 * must not say where its own key is.
 */
export function readToken(token: string): ReadToken | null {
  const parts = token.length <= LONGEST_TOKEN ? SHAPE.exec(token) : null
  const [, head = '', body = '', signature = ''] = parts ?? []
  if (parts === null || head.length > LONGEST_HEADER || bytesOf(signature) === null) return null
  const header = objectIn(head)
  const claims = objectIn(body)
  if (header === null || claims === null || Object.hasOwn(header, 'crit')) return null
  const { alg, kid, typ } = header
  if (typeof alg !== 'string' || (kid !== undefined && typeof kid !== 'string')) return null
  if (!TYPES.includes(typeof typ === 'string' ? typ.toLowerCase() : (typ as undefined))) return null
  return { algorithm: alg, keyId: kid, claims }
}

/** Null where the same bytes have another, usual spelling. */
function bytesOf(part: string): Buffer | null {
  const bytes = Buffer.from(part, 'base64url')
  return bytes.toString('base64url') === part ? bytes : null
}

function objectIn(part: string): Record<string, unknown> | null {
  const bytes = bytesOf(part)
  if (bytes === null || !isUtf8(bytes)) return null
  try {
    const text = bytes.toString('utf8')
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) && repeatedName(text) === null ? value : null
  } catch {
    return null
  }
}
