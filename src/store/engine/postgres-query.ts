import pg from 'pg'
import { copyOf } from './copy-rows.ts'
import { nameOf } from './named-statements.ts'

type Run = (...given: unknown[]) => Promise<unknown>

/** Sends the rows when the server asks for them; the rest is that of any query. */
class CopyQuery extends pg.Query {
  readonly #rows: string

  constructor(text: string, rows: string, callback: (error: Error | undefined, result: unknown) => void) {
    super({ text }, callback)
    this.#rows = rows
  }

  handleCopyInResponse(connection: { sendCopyFromChunk(bytes: Buffer): void; endCopyFrom(): void }): void {
    connection.sendCopyFromChunk(Buffer.from(this.#rows))
    connection.endCopyFrom()
  }
}

/** What the query builder cannot say: rows that are copied, and statements that the server keeps prepared. */
export function postgresQuery(run: Run): Run {
  return (...given) => {
    const [text, values] = given
    const copied = copyOf(given)
    if (copied !== null) {
      return new Promise((resolve, reject) => {
        void run(new CopyQuery(copied.text, copied.rows, (error, result) => (error ? reject(error) : resolve(result))))
      })
    }
    const name = typeof text === 'string' ? nameOf(text) : null
    return name === null ? run(...given) : run({ name, text, values })
  }
}
