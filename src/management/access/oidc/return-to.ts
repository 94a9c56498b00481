const ANYWHERE = 'http://gateway.invalid'
export const HOME = '/dashboard'

/** Where the browser goes after the sign-in: always a page of the dashboard. */
export function safeReturn(asked: string | undefined): string {
  // The browser's own reading counts: `//host`, `/\host` and tabs inside lead elsewhere.
  const url = asked === undefined ? null : URL.parse(asked, ANYWHERE)
  if (url === null || url.origin !== ANYWHERE) return HOME
  if (url.pathname !== HOME && !url.pathname.startsWith(`${HOME}/`)) return HOME
  return `${url.pathname}${url.search}${url.hash}`
}
