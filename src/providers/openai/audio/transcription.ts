import { failure } from '../../../domain/failure.ts'
import { AUDIO_INPUT } from '../../../domain/pricing/unit-prices.ts'
import type { Answer } from '../../../domain/request/answer.ts'
import { isJsonObject } from '../../../domain/request/call-request.ts'
import {
  heardTokens,
  isPlain,
  likelyMilliseconds,
  type TranscriptionRequest,
} from '../../../domain/request/media/transcription.ts'
import { worded } from '../../../domain/wording/worded.ts'
import type { Reading, Target, Translation, Translator } from '../../family.ts'
import { failureFromErrorBody } from '../failure.ts'
import { costlyField } from '../free-fields.ts'
import { targetOf } from '../target.ts'
import { counted, measured } from './heard.ts'
import { TranscriptStream, transcriptParts } from './transcript-stream.ts'

/** `path`: behind the base address. */
export function transcriber(path: string, isFaithful = true): Translator<TranscriptionRequest> {
  return {
    target: (provider, model) => targetOf(provider, path, model),
    toWire,
    fromWire,
    textOf: (text, request) => (isPlain(request) ? plainAnswer(text, request) : null),
    isVerbatim: true,
    ...(isFaithful ? {} : { hasForeignErrors: true }),
    stream: { open: (request) => new TranscriptStream(request), partsOf: transcriptParts },
  }
}

/** The length of the file covers them. */
const FREE_FIELDS = new Set([
  ...[
    'model',
    'file',
    'language',
    'languages',
    'prompt',
    'response_format',
    'stream',
    'temperature',
    'user',
    'include',
  ],
  ...['timestamp_granularities', 'chunking_strategy', 'keywords', 'known_speaker_names'],
])

/** The length of what is heard bounds the price, whichever way the model is billed. */
function toWire(request: TranscriptionRequest, { model, isStrict }: Target): Translation {
  const { file } = request
  if (isStrict === true && file.milliseconds === null) {
    const message = worded`file: its length cannot be read from its bytes, and a hard budget applies; send it as WAV, MP3, Ogg, MP4 or WebM`
    return { kind: 'refused', code: 'length_unknown', message }
  }
  const costly = isStrict === true ? costlyField(request, FREE_FIELDS) : null
  if (costly !== null) return { kind: 'refused', code: 'unsupported_parameter', message: costly }
  return {
    kind: 'wire',
    body: { ...request, model },
    ignored: [],
    adjustments: [],
    bounds: {
      ...{ outputTokens: heardTokens(file), answers: 1, namedPercent: 100, accountPercent: 100 },
      units: [{ name: AUDIO_INPUT, most: likelyMilliseconds(file), orTokens: true }],
    },
  }
}

function fromWire(body: unknown, request: TranscriptionRequest): Reading {
  if (!isJsonObject(body) || typeof body['text'] !== 'string') {
    const failed = isJsonObject(body) ? failureFromErrorBody(body) : null
    const message = worded`The provider answered without a text.`
    return { kind: 'failure', failure: failed ?? failure('upstream_error', message, 200, { retry: 'once' }) }
  }
  return { kind: 'answer', answer: { body, ...counted(body, request), finishReason: null, warning: null } }
}

const TYPES: Readonly<Record<string, string>> = { vtt: 'text/vtt; charset=utf-8' }
const PLAIN_TYPE = 'text/plain; charset=utf-8'

/** Some servers answer in JSON whatever was asked for. */
function plainAnswer(text: string, request: TranscriptionRequest): Answer {
  const said = text.startsWith('{') ? saidIn(text) : null
  return {
    ...{ body: {}, json: said ?? text, finishReason: null, warning: null },
    contentType: TYPES[request.response_format ?? ''] ?? PLAIN_TYPE,
    ...measured(request),
  }
}

function saidIn(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) && typeof value['text'] === 'string' ? value['text'] : null
  } catch {
    return null
  }
}
