const isNight = process.env['NIGHTLY'] !== undefined

/** How much of a thing a test does: the second at `npm run test:nightly`, else the first. */
export function atLength(usually: number, nightly: number): number {
  return isNight ? nightly : usually
}
