/** A price from a moment on. */
export interface PricePoint {
  at: number
  price: number | null
}

/**
 * The line of a price that holds until the next one, as an SVG path in a box of 1000 × 100: time to the right, the
 * dearest of all lines at the top, nothing at the bottom. Where the price is unknown the line is broken.
 */
export function stepPath(points: readonly PricePoint[], from: number, to: number, top: number): string {
  const x = (at: number) => round(to === from ? 0 : ((at - from) / (to - from)) * 1000)
  const y = (price: number) => round(98 - (top === 0 ? 0 : (price / top) * 94))
  const parts: string[] = []
  let isDrawing = false
  points.forEach(({ at, price }, index) => {
    const until = points[index + 1]?.at ?? to
    if (price === null) {
      isDrawing = false
      return
    }
    parts.push(`${isDrawing ? 'L' : 'M'}${x(at)} ${y(price)}`, `L${x(until)} ${y(price)}`)
    isDrawing = true
  })
  return parts.join(' ')
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
