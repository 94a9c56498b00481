/** Something the operator can put right: its message is the one line to show, without a stack. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The log that the store writes to; the shape of the gateway's log. */
export interface StoreLog {
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}
