import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import { hashKey } from '../../domain/key.ts'
import type { Call } from '../../http/call.ts'
import { findSession, isOpen, type Session } from '../../store/control/sessions.ts'
import type { Database } from '../../store/engine/schema.ts'
import type { Secrets } from '../../store/engine/secrets.ts'

export const SESSION_COOKIE = 'switchyard_session'
/** What the signature is for, so that none made for another purpose holds here. */
const CONTEXT = 'session cookie'

type Headers = Pick<Call, 'header'>

/** The cookie of a session is `<id>.<secret>.<signature>`; the database has the id and the hash of the secret. */
export function newSessionSecret(): { secret: string; secretHash: string } {
  const secret = randomBytes(32).toString('base64url')
  return { secret, secretHash: hashKey(secret) }
}

export function cookieValue(id: string, secret: string, secrets: Secrets): string {
  const signed = `${id}.${secret}`
  return `${signed}.${secrets.sign(signed, CONTEXT)}`
}

/** The header that hands the cookie out, or with an empty value takes it back. */
export function setCookie(value: string, maxAgeSeconds: number, call: Headers, isKnownHttps = false): string {
  const attributes = [`${SESSION_COOKIE}=${value}`, 'Path=/', 'HttpOnly', 'SameSite=Strict', `Max-Age=${maxAgeSeconds}`]
  // We speak plain HTTP ourselves; a proxy in front says whether the browser's part of the way is encrypted.
  const isHttps = isKnownHttps || /^https\b/i.test(call.header('x-forwarded-proto') ?? '')
  return [...attributes, ...(isHttps ? ['Secure'] : [])].join('; ')
}

/** More than one only if another site on this host sets the same name: theirs must not hide ours. */
export function cookieValues(headers: Headers, wanted = SESSION_COOKIE): string[] {
  return (headers.header('cookie') ?? '').split(';').flatMap((part) => {
    const [name, value] = part.trim().split('=', 2)
    return name === wanted && value !== undefined && value !== '' ? [value] : []
  })
}

export interface SessionDeps {
  db: Kysely<Database>
  secrets: Secrets
}

/**
 * The session behind the cookie, if it works now. It is asked for each time: one that was ended is refused by every
 * gateway of the database from then on. A forged cookie costs no query.
 */
export async function readSession(call: Headers, { db, secrets }: SessionDeps, now: number): Promise<Session | null> {
  for (const value of cookieValues(call)) {
    const [id = '', secret = '', signature = ''] = value.split('.')
    if (!secrets.isSigned(`${id}.${secret}`, signature, CONTEXT)) continue
    const session = await findSession(db, id)
    if (session === null || session.secretHash !== hashKey(secret)) continue
    if (isOpen(session, now)) return session
  }
  return null
}
