import type { Stamp } from '../../domain/request/answer.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import { sealSummary } from '../../domain/request/compaction.ts'
import { itemId } from './items.ts'

/** The one item that answers a request for a summary. Its caller sends it back in place of the conversation. */
export function capsuleItem(summary: string, { id, sealing }: Pick<Stamp, 'id' | 'sealing'>): JsonObject {
  if (sealing === undefined) throw new Error('a summary cannot be sealed here')
  return { id: itemId('cmp', id, 0), type: 'compaction', encrypted_content: sealSummary(summary.trim(), sealing) }
}
