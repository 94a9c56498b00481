/** Something the operator can put right: its message is the one line to show, without a stack. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
