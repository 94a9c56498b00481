import type { Call, HttpRoute, Reply } from '../../../http/call.ts'
import { Overtaken } from '../../../store/control/overtaken.ts'
import { isAway } from '../../../store/engine/database-away.ts'
import type { ManagementDeps } from '../../deps.ts'
import { cookieValues, setCookie } from '../session-cookie.ts'
import { openSession } from '../sessions.ts'
import { admitPerson } from './admit-person.ts'
import type { Identity } from './decide-sign-in.ts'
import { problemPage } from './page.ts'
import { problemOf, saidByProvider } from './problem.ts'
import type { IdentityProvider } from './provider.ts'
import { safeReturn } from './return-to.ts'
import { CALLBACK_PATH, type OidcSettings, SIGN_IN_PATH } from './settings.ts'
import {
  openStarted,
  SIGN_IN_COOKIE,
  SIGN_IN_MS,
  type Started,
  sealStarted,
  setSignInCookie,
} from './sign-in-cookie.ts'

export interface SignInDeps extends Pick<ManagementDeps, 'db' | 'secrets' | 'warn'> {
  settings: OidcSettings
  provider: IdentityProvider
  now(): number
  orAway: ManagementDeps['live']['orAway']
}

/** Where a browser starts a sign-in, and where the identity provider sends it back to. */
export function signInRoutes(deps: SignInDeps): HttpRoute[] {
  const used = new UsedOnce()
  const headers = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }
  return [
    { method: 'GET', path: SIGN_IN_PATH, headers, handle: (call) => begin(call, deps) },
    { method: 'GET', path: CALLBACK_PATH, headers, handle: (call) => finish(call, used, deps) },
  ]
}

async function begin(call: Call, { settings, provider, secrets, now, warn }: SignInDeps): Promise<Reply> {
  const { return_to: asked, account } = call.query()
  const returnTo = safeReturn(asked)
  try {
    const prompt = account === 'other' ? 'select_account' : account === 'again' ? 'login' : null
    const { url, ...kept } = await provider.begin(prompt)
    const isChoice = prompt === 'select_account'
    const sealed = sealStarted({ ...kept, returnTo, isChoice, expiresAt: now() + SIGN_IN_MS }, secrets)
    return { status: 302, headers: { location: url, 'set-cookie': setSignInCookie(sealed, settings) }, body: '' }
  } catch (error) {
    warn({ issuer: settings.issuer, problem: problemOf(error) }, 'the identity provider cannot be used')
    return problemPage('unreachable', settings.name)
  }
}

/** Sign-ins that came back here: a second one is refused before the provider, which knows a code once, is asked. */
class UsedOnce {
  /** When they expire, by their state, the oldest first. */
  readonly #states = new Map<string, number>()

  take({ state, expiresAt }: Started, now: number): boolean {
    for (const [old, until] of this.#states) {
      if (until > now) break
      this.#states.delete(old)
    }
    if (this.#states.has(state)) return false
    this.#states.set(state, expiresAt)
    return true
  }
}

/** The sign-in ends with any outcome, so its cookie is deleted. */
async function finish(call: Call, used: UsedOnce, deps: SignInDeps): Promise<Reply> {
  const { settings, secrets, now } = deps
  const values = cookieValues(call, SIGN_IN_COOKIE)
  const started = values.map((value) => openStarted(value, secrets, now())).find((each) => each !== null)
  const reply =
    started === undefined || !used.take(started, now())
      ? problemPage('not_started', settings.name)
      : await end(call, started, deps)
  return { ...reply, cookies: [...(reply.cookies ?? []), setSignInCookie('', settings)] }
}

async function end(call: Call, started: Started, deps: SignInDeps): Promise<Reply> {
  const { settings, provider, warn } = deps
  const { issuer, name } = settings
  let identity: Identity
  try {
    identity = await provider.finish(call.query(), started)
  } catch (error) {
    const said = saidByProvider(error)
    // A provider that has no choice of accounts refuses to be asked for one. Each can ask for a sign-in.
    if (started.isChoice && said === 'invalid_request') return away(addressOf('again', started.returnTo))
    warn({ issuer, problem: problemOf(error) }, 'a sign-in failed')
    return said === null ? problemPage('failed', name) : problemPage('cancelled', name, { said })
  }
  try {
    return await deps.orAway(letIn(call, identity, started.returnTo, deps))
  } catch (error) {
    if (isAway(error)) return problemPage('database', name)
    throw error
  }
}

/** Where a sign-in with another account starts. */
function addressOf(account: 'other' | 'again', returnTo: string): string {
  return `${SIGN_IN_PATH}?${new URLSearchParams({ account, return_to: returnTo })}`
}

function away(location: string): Reply {
  return { status: 302, headers: { location }, body: '' }
}

async function letIn(call: Call, identity: Identity, returnTo: string, deps: SignInDeps): Promise<Reply> {
  const { settings, now, warn } = deps
  const at = now()
  const opened = await open(identity, at, deps)
  if (typeof opened === 'string') {
    warn({ issuer: identity.issuer, subject: identity.subject, reason: opened }, 'a sign-in was refused')
    const who = identity.email ?? identity.name ?? identity.subject
    return problemPage(opened, settings.name, { who, other: addressOf('other', returnTo) })
  }
  const { session, cookie } = opened
  const seconds = Math.floor((session.expiresAt - at) / 1000)
  const isHttps = settings.publicUrl.startsWith('https:')
  return {
    status: 302,
    headers: { location: returnTo },
    cookies: [setCookie(cookie, seconds, call, isHttps)],
    body: '',
  }
}

/** Each that is overtaken is so by another who has got in, or by an admin. */
const MOST_ATTEMPTS = 10

/** Person and session in one transaction: a person who is disabled or removed at that moment gets no session. */
async function open(identity: Identity, at: number, { db, secrets, settings }: SignInDeps) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction().execute(async (transaction) => {
        const admitted = await admitPerson(transaction, identity, settings.groupRoles, at)
        return typeof admitted === 'string' ? admitted : openSession({ transaction, secrets }, { person: admitted }, at)
      })
    } catch (error) {
      if (!(error instanceof Overtaken) || attempt === MOST_ATTEMPTS) throw error
    }
  }
}
