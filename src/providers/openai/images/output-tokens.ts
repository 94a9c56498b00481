import type { Choice } from '../../../domain/request/bounds.ts'

/** Output tokens of one image of the first models, by size and quality (platform.openai.com, image generation, 2026-11). */
const FIRST: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  '1024x1024': { low: 272, medium: 1_056, high: 4_160 },
  '1024x1536': { low: 408, medium: 1_584, high: 6_240 },
  '1536x1024': { low: 400, medium: 1_568, high: 6_208 },
}

/** The vendor's calculator for the second model: patches along the long side. */
const PATCHES: Readonly<Record<string, bigint>> = { low: 16n, medium: 48n, high: 96n }

/** Each image shown on the way costs so much more. */
export const PARTIAL_TOKENS = 100

/** The most tokens of one image; null where the model's own limit is all that is known. */
export function imageTokens(model: string, size: unknown, quality: unknown): number | null {
  if (typeof size !== 'string' || typeof quality !== 'string') return null
  if (/^gpt-image-1(-mini)?$/.test(model)) return FIRST[size]?.[quality] ?? null
  return /^gpt-image-2(-\d{4}-\d\d-\d\d)?$/.test(model) ? patchTokens(size, PATCHES[quality]) : null
}

const SIZES = ['1024x1024', '1024x1536', '1536x1024']

/** Of a named size, or of the usual ones; dearest first. */
export function imageChoices(model: string, size: unknown): Choice[] {
  const sizes = typeof size === 'string' && size !== 'auto' ? [size] : SIZES
  const choices = sizes.flatMap((each) =>
    Object.keys(PATCHES).flatMap((quality): Choice[] => {
      const outputTokens = imageTokens(model, each, quality)
      return outputTokens === null ? [] : [{ words: `size ${each} and quality ${quality}`, outputTokens }]
    }),
  )
  return choices.toSorted((a, b) => b.outputTokens - a.outputTokens)
}

function patchTokens(size: string, q: bigint | undefined): number | null {
  const [, w, h] = /^([1-9]\d{1,3})x([1-9]\d{1,3})$/.exec(size) ?? []
  if (w === undefined || h === undefined || q === undefined) return null
  const [width, height] = [BigInt(w), BigInt(h)]
  const [long, short] = width > height ? [width, height] : [height, width]
  const along = (2n * q * short + long) / (2n * long)
  const scaled = q * along * (2_000_000n + width * height)
  return Number((scaled + 3_999_999n) / 4_000_000n)
}

export function withPartials(tokens: number | null, partials: unknown): number | null {
  return tokens === null ? null : tokens + PARTIAL_TOKENS * (typeof partials === 'number' ? partials : 0)
}
