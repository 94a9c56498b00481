import type { Given } from './command.ts'

export async function doctor(_given: Given): Promise<number> {
  return 0
}
