import { errorText, StoreError } from '../store/engine/store-error.ts'

/** A full disk or a missing right is for the operator, in one line; anything else is thrown as it is. */
export async function namingDisk<T>(path: string, verb: 'read' | 'written', work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StoreError || !isOfDisk(error)) throw error
    throw new StoreError(`${path} cannot be ${verb}: ${errorText(error)}`, { cause: error })
  }
}

function isOfDisk(error: unknown): boolean {
  return error instanceof Error && ('errno' in error || ('code' in error && error.code === 'ERR_SQLITE_ERROR'))
}
