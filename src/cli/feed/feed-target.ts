export interface FedLine {
  id: string
  cursor: string
  /** As the gateway sent it. */
  text: string
}

/** Where rows go. `name` is without the extension of a file. A batch that is written again under its name replaces the first one; the cursor is saved after it. */
export interface FeedTarget {
  /** Rows a batch. */
  rows: number
  cursor(): Promise<string | null>
  write(name: string, lines: readonly FedLine[]): Promise<void>
  save(cursor: string): Promise<void>
}
