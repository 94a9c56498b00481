/** The name that was probably meant: at most two slips of a key away, one for short names; null where there is none. */
export function closest(typed: string, names: Iterable<string>): string | null {
  const most = typed.length < 4 ? 1 : 2
  let best: { name: string; slips: number } | null = null
  for (const name of names) {
    if (Math.abs(name.length - typed.length) > most) continue
    const slips = slipsBetween(typed.toLowerCase(), name.toLowerCase())
    if (slips <= most && (best === null || slips < best.slips)) best = { name, slips }
  }
  return best?.name ?? null
}

/** Letters added, left out, replaced or exchanged with their neighbour (optimal string alignment). */
function slipsBetween(left: string, right: string): number {
  let [older, old] = [[] as number[], Array.from({ length: right.length + 1 }, (_, at) => at)]
  for (let row = 1; row <= left.length; row++) {
    const next = [row]
    for (let at = 1; at <= right.length; at++) {
      const replaced = (old[at - 1] ?? 0) + (left[row - 1] === right[at - 1] ? 0 : 1)
      let least = Math.min(replaced, (old[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1)
      if (row > 1 && at > 1 && left[row - 1] === right[at - 2] && left[row - 2] === right[at - 1])
        least = Math.min(least, (older[at - 2] ?? 0) + 1)
      next.push(least)
    }
    older = old
    old = next
  }
  return old[right.length] ?? 0
}
