/** The path that was probably meant: a wrong base URL often has a prefix or slash too many or too few. */
export function nearPath(path: string, routes: readonly { path: string }[]): string | null {
  const plain = path.replace(/\/{2,}/g, '/').replace(/(.)\/$/, '$1')
  if (plain === '/') return null
  const fixed = routes.map((route) => route.path).filter((known) => !/[*:]/.test(known))
  const same = fixed.find((known) => known === plain)
  const shorter = fixed.find((known) => known.endsWith(plain))
  const longer = fixed.find((known) => plain.endsWith(known) || plain.startsWith(`${known}/`))
  return same ?? shorter ?? longer ?? null
}
