import fc from 'fast-check'

const explored = process.env['TEST_SEED']

/** The seed of a fuzz test: the recorded one, unless `npm run test:explore` (or TEST_SEED) sets another. */
export function seedOr(recorded: number): number {
  return explored === undefined ? recorded : Number(explored)
}

// Chance must not decide whether a run passes. A failure that exploring finds becomes an example of its property.
fc.configureGlobal({ seed: seedOr(20_261_118) })

export { fc }
