import type { ReasoningBlock } from '../../domain/request/answer.ts'
import { OWN_SIGNATURE } from '../../domain/request/contents.ts'
import type { Sealing } from '../../domain/request/sealing.ts'
import { sealReasoning, unsealReasoning } from '../responses/sealed-reasoning.ts'

/** What a model thought, sealed, in the place of this format for it. Clients send it back as it is, and take it for base64. */
export function signatureOf(blocks: readonly ReasoningBlock[], sealing: Sealing | undefined): string | null {
  if (sealing === undefined || blocks.length === 0) return null
  const sealed = blocks.flatMap((block) => sealReasoning(block, sealing) ?? [])
  return sealed.length === 0 ? null : Buffer.from(sealed.join(' ')).toString('base64')
}

/** Empty: a provider's own, or of another entry. */
export function blocksIn(signature: string, sealing: Sealing | undefined): ReasoningBlock[] {
  if (sealing === undefined || !signature.startsWith(OWN_SIGNATURE)) return []
  const sealed = Buffer.from(signature, 'base64').toString('latin1').split(' ')
  return sealed.flatMap((each) => unsealReasoning(each, sealing) ?? [])
}
