import type { LiveKey } from '../../domain/key.ts'

/** Whose sessions these are. Those who share a key by their tokens do not share its sessions. */
export function callerOf({ id, holder }: LiveKey): string {
  return holder === undefined ? id : `${id} ${holder.issuer} ${holder.subject}`
}
