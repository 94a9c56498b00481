import type { GatewayError } from '../../domain/errors.ts'
import type { Stamp } from '../../domain/request/answer.ts'
import { isCompaction } from '../../domain/request/compaction.ts'
import type { ResponsesRequest } from '../../domain/request/responses.ts'
import type { StreamEnd, StreamPart, StreamWriter } from '../../domain/request/stream.ts'
import type { StreamFormat } from '../endpoint.ts'
import { CompactedEvents } from './compacted-events.ts'
import { failedError } from './failed-error.ts'
import { Frames } from './frames.ts'
import { NativeEvents } from './native-events.ts'
import { responseObject } from './response-object.ts'
import { TranslatedEvents } from './translated-events.ts'

export const responseEvents: StreamFormat<ResponsesRequest> = {
  isRequested: ({ stream }) => stream === true,
  open: (request, stamp) => new ResponseEvents(request, stamp),
  // An error before any content: there is no answer to include.
  error: (error, id) => {
    const state = { status: 'failed', output: [], usage: null, error: failedError(error) } as const
    const stamp = { id, model: '', created: 0 }
    const response = responseObject({ model: '' }, stamp, { ...state, output: [] })
    return new Frames().write('response.failed', { response })
  },
  keepAlive: ': keep-alive\n',
}

/** A stream is the provider's own, or translated: its first part says which. */
class ResponseEvents implements StreamWriter {
  readonly #request: ResponsesRequest
  readonly #stamp: Stamp
  #writer: NativeEvents | TranslatedEvents | CompactedEvents | null = null

  constructor(request: ResponsesRequest, stamp: Stamp) {
    this.#request = request
    this.#stamp = stamp
  }

  write(part: StreamPart): string {
    this.#writer ??= part.type === 'chunk' ? new NativeEvents(this.#request, this.#stamp) : this.#translated()
    return this.#writer.write(part)
  }

  end(end: StreamEnd): string {
    return this.#opened().end(end)
  }

  fail(error: GatewayError): string {
    return this.#opened().fail(error)
  }

  #opened(): StreamWriter & Required<Pick<StreamWriter, 'fail'>> {
    this.#writer ??= this.#translated()
    return this.#writer
  }

  #translated(): TranslatedEvents | CompactedEvents {
    const Events = isCompaction(this.#request) ? CompactedEvents : TranslatedEvents
    return new Events(this.#request, this.#stamp)
  }
}
