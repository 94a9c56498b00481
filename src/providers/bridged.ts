import type { Bridge } from '../domain/request/bridge.ts'
import type { CallRequest } from '../domain/request/call-request.ts'
import type { StreamReader } from '../domain/request/stream.ts'
import type { StreamTranslator, Translator } from './family.ts'
import { TextAlone, withText } from './text-alone.ts'
import { Unchunked } from './unchunked.ts'

/** A family's translator of the hub for requests of another format: its answers stay as they are, the endpoint writes them. */
export function bridged(bridge: Bridge, hub: Translator): Translator {
  const translator: Translator = {
    target: hub.target,
    toWire(request, target) {
      const asked = bridge.toHub(request, hub.takesMarkers === true ? { ...target, takesMarkers: true } : target)
      if (asked.kind !== 'bridged') return asked
      const translation = hub.toWire(asked.request, { ...target, isBridged: true })
      if (translation.kind !== 'wire') return translation
      return { ...translation, ignored: [...asked.ignored, ...translation.ignored] }
    },
    fromWire(body, request, asked) {
      const reading = hub.fromWire(body, bridge.answerShape(request), asked)
      return bridge.needsText?.(request) === true ? withText(reading) : reading
    },
  }
  if (hub.namesModel === true) translator.namesModel = true
  if (hub.markPrompt !== undefined) translator.markPrompt = hub.markPrompt
  if (hub.spares !== undefined) translator.spares = hub.spares
  if (hub.cacheKeyHeader !== undefined) translator.cacheKeyHeader = hub.cacheKeyHeader
  if (hub.stream !== undefined) translator.stream = bridgedStream(bridge, hub.stream)
  return translator
}

function bridgedStream(bridge: Bridge, chat: StreamTranslator): StreamTranslator {
  const shape = (request: CallRequest) => bridge.answerShape(request)
  return {
    open(request, asked) {
      const reader = asParts(chat.open(shape(request), asked))
      return bridge.needsText?.(request) === true ? new TextAlone(reader) : reader
    },
    // A whole answer was read by `fromWire`, and has its text.
    partsOf: (answer, request) => new Unchunked().parts(chat.partsOf(answer, shape(request))),
    ...(chat.framing === undefined ? {} : { framing: chat.framing }),
    ...(chat.usageField === undefined ? {} : { usageField: chat.usageField }),
  }
}

function asParts(reader: StreamReader): StreamReader {
  const unchunked = new Unchunked()
  return {
    read: (event) => unchunked.parts(reader.read(event)),
    end: () => unchunked.parts(reader.end()),
    get usage() {
      return reader.usage
    },
    get hiddenBytes() {
      return reader.hiddenBytes
    },
    get isFinished() {
      return reader.isFinished
    },
  }
}
