import { contractError } from '../../domain/errors.ts'
import { bearerOrApiKey } from '../../endpoints/bearer-or-api-key.ts'
import type { Endpoint } from '../../endpoints/endpoint.ts'
import type { CloseRecord, OpenRecord } from '../../request-log/record.ts'
import type { Aspect } from '../stages.ts'

/** The price of such calls is that of this model of the provider, by this unit. */
export const PASSED = 'passthrough'

const unread = () => {
  throw new Error('what is passed through is never read')
}

/** Not in the table of endpoints: nothing of it is understood, so no family translates it. */
export const PASSTHROUGH: Endpoint = {
  name: 'passthrough',
  path: '/passthrough/*',
  operation: 'chat',
  idPrefix: 'pass_',
  fallsBackTo: 'same-model',
  keyOf: bearerOrApiKey,
  read: unread,
  promptTokens: unread,
  write: unread,
  error: contractError,
  get page() {
    return unread()
  },
}

/** What the row has of a call whose bodies are not read. */
export class Passage implements Aspect {
  /** As a key is allowed it: `provider/passthrough`. */
  readonly name: string
  status = 0
  requestBytes = 0
  responseBytes = 0

  constructor(provider: string) {
    this.name = `${provider}/${PASSED}`
  }

  addToOpening(record: OpenRecord): void {
    record.requestedModel = this.name
  }

  addToRow(record: CloseRecord): void {
    record.requestedModel = this.name
    if (this.status !== 0 && record.code === null) record.status = this.status
    record.requestBytes = this.requestBytes
    record.responseBytes += this.responseBytes
  }
}
