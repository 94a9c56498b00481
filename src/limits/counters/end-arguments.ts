import type { CallUse } from '../ledger.ts'
import { dollarsAndRest } from './amount.ts'

/** What the script of the end is told. */
export interface End {
  call: {
    id: string
    /** Of the ledger that admitted it; 0: none did. */
    generation: number
    /** Of its end in the spool; of a call that nobody remembers that of its beginning, which says nearly as much. */
    position: number
    strict: boolean
    keyId: string
    workspace: string
    admittedAt: number
  }
  use: CallUse
  /** The call was not made after all. */
  released: boolean
  node: string
  /** Milliseconds for tests; '' lets the server's clock count. */
  clock: string
}

export function endArguments({ call, use, released, node, clock }: End): string[] {
  return [
    clock,
    node,
    call.id,
    String(call.generation),
    String(call.position),
    call.strict ? '1' : '0',
    released ? '1' : '0',
    ...dollarsAndRest(use.picodollars ?? 0n),
    String(use.tokens),
    call.keyId,
    call.workspace,
    String(call.admittedAt),
  ]
}
