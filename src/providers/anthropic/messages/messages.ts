import type { MessagesRequest } from '../../../domain/request/messages.ts'
import type { Translator } from '../../family.ts'
import { chatTarget } from '../endpoint.ts'
import { markAutomatically } from '../mark-prompt.ts'
import { SPARES } from '../spares.ts'
import { partsOf } from './as-events.ts'
import { forwarded } from './forwarded.ts'
import { toWire } from './request.ts'
import { fromWire } from './response.ts'
import { NativeStream } from './stream.ts'

/** The family's own format. */
export const messages: Translator<MessagesRequest> = {
  target: chatTarget,
  toWire,
  fromWire,
  markPrompt: markAutomatically,
  isVerbatim: true,
  forwarded,
  spares: SPARES,
  stream: { open: () => new NativeStream(), partsOf },
}
