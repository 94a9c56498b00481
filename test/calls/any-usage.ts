import { OUTPUT_PARTS, PROMPT_CLASSES, type TokenClass } from '../../src/domain/pricing/classes.ts'
import { NO_USAGE, type TokenUsage } from '../../src/domain/pricing/usage.ts'
import { fc } from '../property.ts'

/** Any usage that a family can report: the classes of the prompt do not overlap, nor do the parts of the answer. */
export function anyUsage(tokens: fc.Arbitrary<number>): fc.Arbitrary<TokenUsage> {
  const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 2 })
  const counts = fc.array(tokens, { minLength: PROMPT_CLASSES.length, maxLength: PROMPT_CLASSES.length })
  return fc
    .record({ counts, output: tokens, cuts, pricePercent: fc.constantFrom(50, 100, 110, 133) })
    .map(({ counts, output, cuts, pricePercent }) => {
      const usage: TokenUsage = { ...NO_USAGE, output, reasoning: Math.floor(output / 3), pricePercent }
      const set = (name: TokenClass, count: number) => Object.assign(usage, { [name]: count })
      for (const [index, { name }] of PROMPT_CLASSES.entries()) set(name, counts[index] ?? 0)
      let rest = output
      for (const [index, { name }] of OUTPUT_PARTS.entries()) {
        set(name, Math.floor(rest * (cuts[index] ?? 0)))
        rest -= usage[name]
      }
      return usage
    })
}
