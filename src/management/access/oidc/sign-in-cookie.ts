import { z } from 'zod'
import type { Secrets } from '../../../store/engine/secrets.ts'

/** What the browser keeps from the start of a sign-in to its end, so that only this browser can end it. */
const Started = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
  /** The provider was asked for a choice of accounts. */
  isChoice: z.boolean().default(false),
  expiresAt: z.number(),
})
export type Started = z.infer<typeof Started>

export const SIGN_IN_COOKIE = 'switchyard_sign_in'
/** Long enough to find a password and a second factor. */
export const SIGN_IN_MS = 10 * 60_000
/** So that nothing encrypted for another purpose is taken for it. */
const CONTEXT = 'sign-in cookie'

/** Encrypted, which also proves that it is ours: its verifier is useless to anyone who finds it. */
export function sealStarted(started: Started, secrets: Secrets): string {
  return secrets.encrypt(JSON.stringify(started), CONTEXT)
}

/** Null where it is not ours, or too old. */
export function openStarted(sealed: string, secrets: Secrets, now: number): Started | null {
  try {
    const started = Started.parse(JSON.parse(secrets.decrypt(sealed, CONTEXT)))
    return started.expiresAt > now ? started : null
  } catch {
    return null
  }
}

/** Lax: the provider's page leads back to us, and a stricter cookie would not come along. */
export function setSignInCookie(sealed: string, { publicUrl }: { publicUrl: string }): string {
  const seconds = sealed === '' ? 0 : SIGN_IN_MS / 1000
  const attributes = [`${SIGN_IN_COOKIE}=${sealed}`, 'Path=/sign-in', 'HttpOnly', 'SameSite=Lax', `Max-Age=${seconds}`]
  return [...attributes, ...(publicUrl.startsWith('https:') ? ['Secure'] : [])].join('; ')
}
