import type { CallUse } from '../ledger.ts'
import { dollarsAndRest } from './amount.ts'

/** Arguments of the script that ends a call. */
export interface End {
  call: {
    id: string
    /** Generation of the ledger that admitted it; 0: none did. */
    generation: number
    /** Position of its end in the spool; for a call found later, that of its beginning, which is nearly as good. */
    position: number
    answersAfterBooking: boolean
    keyId: string
    workspace: string
    admittedAt: number
  }
  use: CallUse
  /** The call was not made. */
  released: boolean
  node: string
  /** Milliseconds, for tests; '' uses the server's clock. */
  clock: string
}

export function endArguments({ call, use, released, node, clock }: End): string[] {
  return [
    clock,
    node,
    call.id,
    String(call.generation),
    String(call.position),
    call.answersAfterBooking ? '1' : '0',
    released ? '1' : '0',
    ...dollarsAndRest(use.picodollars ?? 0n),
    String(use.tokens),
    call.keyId,
    call.workspace,
    String(call.admittedAt),
  ]
}
