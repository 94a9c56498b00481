import type { Bridge } from '../domain/request/bridge.ts'
import type { CallRequest } from '../domain/request/call-request.ts'
import type { StreamReader } from '../domain/request/stream.ts'
import type { StreamTranslator, Translator } from './family.ts'
import { TextAlone, withText } from './text-alone.ts'
import { Unchunked } from './unchunked.ts'

/** A family's chat translator for requests of another format: its answers stay completions, which the endpoint writes. */
export function bridged(bridge: Bridge, chat: Translator): Translator {
  const translator: Translator = {
    target: chat.target,
    toWire(request, target) {
      const asked = bridge.toChat(request, target)
      if (asked.kind !== 'chat') return asked
      const translation = chat.toWire(asked.request, { ...target, isBridged: true })
      if (translation.kind !== 'wire') return translation
      return { ...translation, ignored: [...asked.ignored, ...translation.ignored] }
    },
    fromWire(body, request, asked) {
      const reading = chat.fromWire(body, bridge.answerShape(request), asked)
      return bridge.needsText?.(request) === true ? withText(reading) : reading
    },
  }
  if (chat.namesModel === true) translator.namesModel = true
  if (chat.stream !== undefined) translator.stream = bridgedStream(bridge, chat.stream)
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
