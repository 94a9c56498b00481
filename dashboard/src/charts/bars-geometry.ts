/** The layout of a chart. Pure arithmetic, in pixels of the drawing. */

export interface Plot {
  width: number
  height: number
  /** How many intervals there are. */
  count: number
  /** The value at the top. */
  top: number
}

/** Round figures from 0 to the first that is not below the largest value. */
export function scaleTicks(largest: number, isWhole: boolean, most = 4): number[] {
  if (!(largest > 0)) return [0, 1]
  const rough = largest / most
  const power = 10 ** Math.floor(Math.log10(rough))
  const factors = isWhole && power < 10 ? [1, 2, 5, 10] : [1, 2, 2.5, 5, 10]
  const factor = factors.find((each) => each * power >= rough - power * 1e-9) ?? 10
  const step = isWhole ? Math.max(1, Math.ceil(factor * power)) : factor * power
  const steps = Math.max(1, Math.ceil(largest / step - 1e-9))
  // Divided rather than added up, so that 0.1 + 0.2 does not become a label.
  return Array.from({ length: steps + 1 }, (_, index) => Number((index * step).toPrecision(12)))
}

/** The outline of all bars of one series, as one path. */
export function seriesPath(
  plot: Plot,
  series: number,
  values: readonly (readonly number[])[],
  isStacked: boolean,
): string {
  const band = plot.width / plot.count
  const room = Math.min(band * (plot.count > 80 ? 0.9 : 0.78), isStacked ? 40 : 56)
  const barWidth = isStacked ? room : room / values.length - 1
  const scale = plot.height / plot.top
  let path = ''
  for (let place = 0; place < plot.count; place++) {
    const value = values[series]?.[place] ?? 0
    if (value <= 0) continue
    const below = isStacked ? values.slice(0, series).reduce((sum, each) => sum + (each[place] ?? 0), 0) : 0
    const left = place * band + (band - room) / 2 + (isStacked ? 0 : series * (barWidth + 1))
    const bottom = plot.height - below * scale
    // What is not nothing is seen; what is stacked on another has a seam below it, where there is room for one.
    const full = Math.max(value * scale, 0.75)
    const seam = below > 0 && full > 3 ? 1 : 0
    path += `M${round(left)} ${round(bottom - seam)}h${round(barWidth)}v${round(seam - full)}h${round(-barWidth)}z`
  }
  return path
}

/** A line through the middles of the intervals, with a gap where there is no figure; one that stands alone is a dot. */
export function linePath({ width, height, count, top }: Plot, values: readonly (number | null)[]): string {
  const band = width / count
  let path = ''
  let isDrawing = false
  values.forEach((value, place) => {
    if (value === null) {
      isDrawing = false
      return
    }
    const point = `${round((place + 0.5) * band)} ${round(height * (1 - value / top))}`
    // A line of no length is drawn as a dot, by its round ends.
    path += isDrawing ? `L${point}` : `M${point}L${point}`
    isDrawing = true
  })
  return path
}

/** The interval below the pointer; null outside. */
export function placeAt(x: number, { width, count }: Pick<Plot, 'width' | 'count'>): number | null {
  const place = Math.floor((x / width) * count)
  return place < 0 || place >= count ? null : place
}

/** Every second, third … mark, so that their names do not touch. */
export function thinned<Mark>(marks: readonly Mark[], width: number, widest: number): Mark[] {
  const every = Math.max(1, Math.ceil((marks.length * widest) / Math.max(width, 1)))
  return marks.filter((_, index) => index % every === 0)
}

/** Where the name of a mark stands: below it, but never beyond the end of the drawing, which would cut it. */
export function nameAt(center: number, width: number, widest: number): { x: number; textAnchor: 'middle' | 'end' } {
  return center + widest / 2 > width ? { x: width, textAnchor: 'end' } : { x: center, textAnchor: 'middle' }
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
