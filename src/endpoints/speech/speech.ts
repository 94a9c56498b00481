import { z } from 'zod'
import { contractError } from '../../domain/errors.ts'
import { readSpeech, type SpeechRequest, SpeechSchema, speechTokens } from '../../domain/request/media/speech.ts'
import type { StreamPart, StreamWriter } from '../../domain/request/stream.ts'
import { bearerKey } from '../bearer-key.ts'
import type { Endpoint } from '../endpoint.ts'
import { chunkFrames } from '../transcriptions/write.ts'

const TYPES: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
}

export const speech: Endpoint<SpeechRequest> = {
  name: 'speech',
  path: '/v1/audio/speech',
  operation: 'speech',
  idPrefix: 'spch_',
  fallsBackTo: 'same-model',
  neverHedges: true,
  keyOf: bearerKey,
  read: readSpeech,
  promptTokens: speechTokens,
  // What its answer is measured by.
  outline: ({ input }) => ({ input }),
  write: () => '',
  stream: {
    isRequested: () => true,
    typeOf: ({ stream_format: stream, response_format: format }, type) => {
      if (stream === 'sse') return null
      return type.startsWith('audio/') ? type : (TYPES[format ?? 'mp3'] ?? 'application/octet-stream')
    },
    open: ({ stream_format: stream }) => (stream === 'sse' ? chunkFrames() : sound()),
    error: (error, requestId) => `data: ${JSON.stringify(contractError(error, requestId).body)}\n\n`,
    keepAlive: '',
  },
  error: contractError,
  page: {
    operationId: 'v1.audio.speech',
    summary: 'Say a text',
    request: SpeechSchema,
    requestNotes: 'Fields that are not listed pass through.',
    example: { model: 'tts-1', input: 'The train leaves at ten.', voice: 'alloy' },
    answer: z.string().meta({ format: 'binary' }),
    answerNotes: 'The sound, as bytes of the type that was asked for.',
  },
}

/** Each character is a byte. The last one waits for the row. */
function sound(): StreamWriter {
  let last = ''
  return {
    write(part: StreamPart) {
      if (part.type !== 'chunk' || part.json === '') return ''
      const ready = last + part.json.slice(0, -1)
      last = part.json.slice(-1)
      return ready
    },
    end: () => last,
  }
}
