import type { Presence } from '../../domain/presence.ts'

/** Several callers that wait for one answer: they have left when the last of them has. */
export interface JointPresence extends Presence {
  join(member: Presence): void
}

export function jointPresence(first: Presence): JointPresence {
  const listeners = new Set<() => void>()
  let members = 0
  let left = false
  function leaveOne(): void {
    members -= 1
    if (members > 0) return
    left = true
    for (const listener of listeners) listener()
    listeners.clear()
  }
  const joint: JointPresence = {
    get left() {
      return left
    },
    onLeave(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    join(member) {
      members += 1
      if (member.left) leaveOne()
      else member.onLeave(leaveOne)
    },
  }
  joint.join(first)
  return joint
}
