import { z } from 'zod'
import type { Answer } from '../../domain/request/answer.ts'
import type { StreamPart, StreamWriter } from '../../domain/request/stream.ts'

export const Transcription = z.looseObject({
  text: z.string(),
  usage: z
    .looseObject({ type: z.string().optional() })
    .optional()
    .describe('Tokens, or seconds (`type: duration`), where the provider says so'),
})

/** The format has no id and no model. */
export function writeTranscription({ json, body }: Answer): string {
  return json ?? JSON.stringify(body)
}

/** Events as they came; the last waits for the row. */
export function chunkFrames(): StreamWriter {
  let last = ''
  return {
    write(part: StreamPart) {
      if (part.type !== 'chunk') return ''
      const frame = `data: ${part.json}\n\n`
      if (!part.isEnd) return frame
      last += frame
      return ''
    },
    end: () => last,
  }
}
