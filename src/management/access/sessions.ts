import type { Transaction } from 'kysely'
import { isFullAccess } from '../../domain/access.ts'
import { GatewayError } from '../../domain/errors.ts'
import {
  actorOf,
  createSession,
  deleteSession,
  findSession,
  type Holder,
  listSessions,
  type Session,
} from '../../store/control/sessions.ts'
import type { Database } from '../../store/engine/schema.ts'
import type { Secrets } from '../../store/engine/secrets.ts'
import { CONTRACT } from '../contract/contract.ts'
import { timestamp, timestampOrNull } from '../contract/fields.ts'
import type { sessionOperations } from '../contract/sessions.ts'
import { changeBeside, type ManagementDeps, withAudit } from '../deps.ts'
import { decodeCursor, page } from '../requests/cursor.ts'
import type { HandlersOf } from '../router.ts'
import { adminKey } from './authorize.ts'
import { refuseForgery } from './cross-site.ts'
import { type OidcSettings, SIGN_IN_PATH } from './oidc/settings.ts'
import { refusalOf } from './permit.ts'
import { cookieValue, cookieValues, newSessionSecret, readSession, setCookie } from './session-cookie.ts'
import type { SignInGuard } from './sign-in-guard.ts'

/** From signing in, however busy one is: a stolen cookie is of no use the day after. */
const SESSION_MS = 24 * 3_600_000

export function sessionHandlers(deps: ManagementDeps, guard: SignInGuard): HandlersOf<typeof sessionOperations> {
  return {
    async 'sessions.create'({ body }, visit) {
      const look = () => adminKey(body.key, deps.snapshot(), visit.now, 'That admin key is not valid.')
      const key = await guard.attempt(visit.source, look)
      const { secrets } = deps
      const { session, cookie } = await deps.db
        .transaction()
        .execute((transaction) => openSession({ transaction, secrets }, { key }, visit.now))
      visit.setHeader('set-cookie', setCookie(cookie, Math.floor((session.expiresAt - visit.now) / 1000), visit))
      return toSessionView(session)
    },
    'sessions.options': async () => ({ oidc: deps.oidc === null ? null : offered(deps.oidc) }),
    'sessions.current': async (_input, { actor, access, session, expiresAt }) => ({
      session_id: session?.id ?? null,
      ...(session === null ? ofKey(actor) : holderView(session.holder)),
      role: access.role,
      workspaces: access.workspaces === null ? null : [...access.workspaces],
      operations: Object.entries(CONTRACT).flatMap(([name, each]) => (refusalOf(each, access) === null ? [name] : [])),
      expires_at: timestampOrNull(expiresAt),
    }),
    async 'sessions.end'(_input, visit) {
      if (cookieValues(visit).length > 0) refuseForgery(visit)
      visit.setHeader('set-cookie', setCookie('', 0, visit))
      const session = await readSession(visit, deps, visit.now)
      if (session !== null) await end(deps, session, 'sessions.end', { actor: actorOf(session.holder), now: visit.now })
    },
    async 'sessions.list'({ query: { limit, cursor } }, { session: own, actor, access, now }) {
      const after = decodeCursor(cursor, 1)
      const from = after === null ? null : String(after[0])
      const rows = await listSessions(deps.db, {
        after: from,
        limit: limit + 1,
        now,
        holderId: isFullAccess(access) ? undefined : actor.id,
      })
      const show = (session: Session) => ({ ...toSessionView(session), current: session.id === own?.id })
      return page(rows, limit, show, (session) => [session.id])
    },
    async 'sessions.revoke'({ params: { id } }, context) {
      const session = await findSession(deps.db, id)
      const mayEnd = (found: Session) => actorOf(found.holder).id === context.actor.id || isFullAccess(context.access)
      if (session === null || !mayEnd(session) || !(await end(deps, session, 'sessions.revoke', context))) {
        throw new GatewayError('not_found', `There is no session with the id '${id}'.`)
      }
    },
  }
}

/** With what its cookie holds. */
export async function openSession(
  { transaction, secrets }: { transaction: Transaction<Database>; secrets: Secrets },
  holder: Holder,
  now: number,
): Promise<{ session: Session; cookie: string }> {
  const { secret, secretHash } = newSessionSecret()
  const keyEnds = 'key' in holder ? holder.key.expiresAt : null
  const expiresAt = Math.min(now + SESSION_MS, keyEnds ?? Number.POSITIVE_INFINITY)
  const session = await withAudit(transaction, { actor: actorOf(holder), now }, async () => {
    const result = await createSession(transaction, { holder, secretHash, expiresAt }, now)
    return { result, audit: sessionAuditEntry('sessions.create', result.id, null, toSessionView(result)) }
  })
  return { session, cookie: cookieValue(session.id, secret, secrets) }
}

/** True when it had not ended before. */
function end(
  deps: ManagementDeps,
  session: Session,
  action: string,
  by: { actor: { id: string; name: string }; now: number },
): Promise<boolean> {
  return changeBeside(deps, by, async (transaction) => {
    const result = await deleteSession(transaction, session)
    return { result, audit: result ? sessionAuditEntry(action, session.id, toSessionView(session), null) : null }
  })
}

function toSessionView(session: Session) {
  return {
    id: session.id,
    ...holderView(session.holder),
    created_at: timestamp(session.createdAt),
    expires_at: timestamp(session.expiresAt),
  }
}

/** The whole address: the cookies of a sign-in belong to the host that the provider sends the browser back to. */
function offered({ name, publicUrl }: OidcSettings) {
  return { name, url: publicUrl + SIGN_IN_PATH }
}

function holderView(holder: Holder) {
  const { id, name } = actorOf(holder)
  return 'key' in holder ? ofKey({ id, name }) : { key_id: null, key_name: null, person_id: id, person_name: name }
}

function ofKey({ id, name }: { id: string; name: string }) {
  return { key_id: id, key_name: name, person_id: null, person_name: null }
}

type SessionView = ReturnType<typeof toSessionView>

function sessionAuditEntry(action: string, id: string, before: SessionView | null, after: SessionView | null) {
  return { action, workspace: null, resource: `sessions/${id}`, before, after }
}
