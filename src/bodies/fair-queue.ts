/** Things that wait, in turns by owner: how many one of them has brings it no advantage. */
export class FairQueue<Item> {
  /** Owners in the order of their turns. */
  readonly #waiting = new Map<string, Item[]>()
  #last: string | null = null
  size = 0

  add(owner: string, item: Item): void {
    const own = this.#waiting.get(owner)
    if (own === undefined) this.#waiting.set(owner, [item])
    else own.push(item)
    this.size += 1
  }

  /** Round robin: the owner served last goes to the end. */
  take(): Item | null {
    for (const [owner, own] of this.#waiting) {
      if (owner === this.#last && this.#waiting.size > 1) continue
      this.#last = owner
      this.#waiting.delete(owner)
      const item = own.shift() ?? null
      if (own.length > 0) this.#waiting.set(owner, own)
      this.size -= 1
      return item
    }
    return null
  }
}
