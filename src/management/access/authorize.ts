import type { Kysely } from 'kysely'
import type { Access } from '../../domain/access.ts'
import { GatewayError } from '../../domain/errors.ts'
import { type AdminKey, hashKey, isValueUsable } from '../../domain/key.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import type { Call } from '../../http/call.ts'
import { notePersonSeen } from '../../store/control/people.ts'
import { actorOf, type Session } from '../../store/control/sessions.ts'
import type { Database } from '../../store/engine/schema.ts'
import type { Secrets } from '../../store/engine/secrets.ts'
import { refuseForgery } from './cross-site.ts'
import { cookieValues, readSession } from './session-cookie.ts'
import type { SignInGuard } from './sign-in-guard.ts'

/** Who makes a change, for the audit log. */
export interface Actor {
  /** Id of the admin key or the person, or what else acted: `config`, `environment`. */
  id: string
  name: string
}

export interface Authorized {
  actor: Actor
  /** What they may do, and where. */
  access: Access
  /** Null with a bearer token. */
  session: Session | null
  /** When this access expires; null: never. */
  expiresAt: number | null
}

export interface AuthorizeDeps {
  snapshot(): Snapshot
  now(): number
  db: Kysely<Database>
  secrets: Secrets
  guard: SignInGuard
  /** Who calls, as far as wrong keys are counted. */
  sourceOf(call: Pick<Call, 'remoteAddress' | 'header'>): string
}

/** How exactly it is known when a person was last here: not every request writes. */
const SEEN_EVERY_MS = 5 * 60_000

/** By bearer token, or by the cookie of a session. A token wins, also when it is wrong: its sender meant it. */
export async function authorize(call: Call, deps: AuthorizeDeps): Promise<Authorized> {
  const header = call.header('authorization') ?? ''
  // A proxy in front may have its own password, in the same header: a browser that passed it still comes by cookie.
  const isBearer = /^Bearer\b/i.test(header)
  if (!isBearer && cookieValues(call).length > 0) return bySession(call, deps)
  const token = /^Bearer +(\S+) *$/i.exec(header)?.[1]
  const text = 'Send a valid admin key: "Authorization: Bearer <ADMIN_KEY>".'
  if (token === undefined) throw new GatewayError('unauthorized', text)
  const key = await deps.guard.attempt(deps.sourceOf(call), () => adminKey(token, deps.snapshot(), deps.now(), text))
  return { actor: { id: key.id, name: key.name }, access: key.access, session: null, expiresAt: key.expiresAt }
}

/** The admin key with this value. A live key is known but may not do this: 403 rather than 401. */
export function adminKey(value: string, snapshot: Snapshot, now: number, text: string): AdminKey {
  const found = snapshot.valuesByHash.get(hashKey(value))
  if (found === undefined || !isValueUsable(found, now)) throw new GatewayError('unauthorized', text)
  const { access } = found.key
  if (access === undefined)
    throw new GatewayError('forbidden', 'This operation requires an admin key, not a gateway key.')
  return { ...found.key, access }
}

async function bySession(call: Call, deps: AuthorizeDeps): Promise<Authorized> {
  refuseForgery(call)
  const session = await readSession(call, deps, deps.now())
  if (session === null) throw new GatewayError('unauthorized', 'The session has ended. Sign in again.')
  const { holder, access, expiresAt } = session
  if ('person' in holder && deps.now() - holder.person.lastSeenAt >= SEEN_EVERY_MS) {
    await notePersonSeen(deps.db, holder.person.id, deps.now())
  }
  return { actor: actorOf(holder), access, session, expiresAt }
}
