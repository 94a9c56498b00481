import type { CallReply } from '../http/call.ts'
import type { Aspect } from './stages.ts'

/** The reply as the caller gets it. */
export function shownBy(aspects: readonly Aspect[], reply: CallReply): CallReply {
  let shown = reply
  for (const aspect of aspects) shown = aspect.show?.(shown) ?? shown
  return shown
}
