import { loadScanProgram, MARGIN_BYTES, type ScanProgram, WINDOW_BYTES } from './scan-program.ts'

const QUOTE = 0x22

let program: ScanProgram | null | undefined

/** Null where there is no program for it. */
export function scanTexts(source: Uint8Array): TextScan | null {
  // Loaded when the first large body comes: many gateways never see one.
  if (program === undefined) program = loadScanProgram()
  return program === null ? null : new TextScan(source, program)
}

/** Finds where the texts of a body end, from its beginning on. There is one window: one body has to end before the next. */
class TextScan {
  readonly #source: Uint8Array
  readonly #program: ScanProgram
  /** Where in the source the window begins. */
  #base = 0

  constructor(source: Uint8Array, program: ScanProgram) {
    this.#source = source
    this.#program = program
    this.#look(0)
  }

  /** Where the quote stands that ends the text; -1 when it has none, or holds what no text may hold. */
  endOfText(begin: number): number {
    const { window, stop } = this.#program
    let at = begin
    while (at < this.#source.length) {
      if (at - this.#base >= WINDOW_BYTES) this.#look(at)
      const place = stop(at - this.#base)
      at = this.#base + place
      if (window[place] === QUOTE) return at
      if (place < WINDOW_BYTES) return -1
    }
    return -1
  }

  #look(base: number): void {
    const { window } = this.#program
    const seen = this.#source.subarray(base, base + WINDOW_BYTES + MARGIN_BYTES)
    window.set(seen)
    // A zero is nothing that a text may hold.
    window.fill(0, seen.length, seen.length + MARGIN_BYTES)
    this.#base = base
  }
}
