import { contractError } from '../../domain/errors.ts'
import {
  formOfJson,
  isStreamed,
  MOST_FILE_BYTES,
  readTranscription,
  TRANSCRIPTION_FORM,
  type TranscriptionRequest,
  TranscriptionSchema,
  transcriptionTokens,
} from '../../domain/request/media/transcription.ts'
import { bearerKey } from '../bearer-key.ts'
import type { Endpoint } from '../endpoint.ts'
import { chunkFrames, Transcription, writeTranscription } from './write.ts'

/** Fields beside the file. */
const FIELD_BYTES = 1024 * 1024

const both = {
  operation: 'transcription',
  fallsBackTo: 'any-model',
  keyOf: bearerKey,
  form: { ...TRANSCRIPTION_FORM, limitBytes: MOST_FILE_BYTES + FIELD_BYTES, ofJson: formOfJson },
  read: readTranscription,
  promptTokens: transcriptionTokens,
  // What its answer is measured by.
  outline: ({ file }) => ({ file }),
  write: writeTranscription,
  error: contractError,
} as const satisfies Partial<Endpoint<TranscriptionRequest>>

const NOTES =
  'A form; fields that are not listed pass through. JSON with `input_audio` ({ data, format }) is taken as well.'
const page = {
  request: TranscriptionSchema,
  requestNotes: NOTES,
  example: { model: 'whisper-1', file: 'meeting.mp3' },
  answer: Transcription,
  answerNotes: 'The text. With `response_format` text, srt or vtt it is the whole body, as text.',
}

export const transcriptions: Endpoint<TranscriptionRequest> = {
  ...both,
  name: 'transcriptions',
  path: '/v1/audio/transcriptions',
  idPrefix: 'trns_',
  stream: {
    isRequested: isStreamed,
    open: () => chunkFrames(),
    error: (error, requestId) => `data: ${JSON.stringify(contractError(error, requestId).body)}\n\n`,
    keepAlive: ': keep-alive\n\n',
  },
  page: { ...page, operationId: 'v1.audio.transcriptions', summary: 'Write down what is said' },
}

export const translations: Endpoint<TranscriptionRequest> = {
  ...both,
  name: 'translations',
  path: '/v1/audio/translations',
  idPrefix: 'trns_',
  read: (value) => readTranscription(value, true),
  page: { ...page, operationId: 'v1.audio.translations', summary: 'Write down in English what is said' },
}
