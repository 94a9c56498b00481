import { refusedHost } from './base-url.ts'

/** The address of a proxy on the way to providers: `http://user:password@host:port`. */

/** What is wrong with it, as a message; null when it is allowed. */
export function proxyProblem(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    return 'expected http://host:port or https://host:port'
  if (url.pathname !== '/' || /[?#]/.test(text)) return 'a proxy has no path: http://host:port'
  const refusal = refusedHost(url.hostname)
  return refusal === null ? null : `${url.hostname} is ${refusal}: refused`
}

/** Null: it is asked without any. */
export function proxyLogin(proxy: string): { user: string; password: string } | null {
  if (!URL.canParse(proxy)) return null
  const { username, password } = new URL(proxy)
  return username === '' && password === '' ? null : { user: decoded(username), password: decoded(password) }
}

/** What must stay secret: the password, decoded and encoded, and the header field that carries it. */
export function proxySecrets(proxy: string): string[] {
  const login = proxyLogin(proxy)
  if (login === null || login.password === '') return []
  return [login.password, new URL(proxy).password, basicCredentials(login)]
}

export function basicCredentials({ user, password }: { user: string; password: string }): string {
  return Buffer.from(`${user}:${password}`).toString('base64')
}

/** Shown instead of the password. */
export const MASKED_PASSWORD = '***'

/** As it may be shown. */
export function withoutPassword(proxy: string): string {
  if (proxySecrets(proxy).length === 0) return proxy
  const url = new URL(proxy)
  url.password = MASKED_PASSWORD
  return url.href
}

/** The shown address with the stored one's password; everything else must be equal. */
export function withStoredPassword(shown: string, stored: string | undefined): string | null {
  if (proxyLogin(shown)?.password !== MASKED_PASSWORD) return shown
  if (stored === undefined || withoutPassword(stored) !== new URL(shown).href) return null
  return stored
}

/** A percent sign that begins no code is one. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
