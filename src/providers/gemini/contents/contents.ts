import type { ContentsRequest } from '../../../domain/request/contents.ts'
import type { Translator } from '../../family.ts'
import type { Door } from '../door.ts'
import { toWire } from './request.ts'
import { fromWire } from './response.ts'
import { NativeContentStream, partsOf } from './stream.ts'

/** The models behind a door in their own format. */
export function contentsThrough(door: Door): Translator<ContentsRequest> {
  return {
    target: (provider, model, isStream) =>
      door.target(provider, model, isStream === true ? 'streamGenerateContent' : 'generateContent'),
    namesModel: true,
    toWire,
    fromWire,
    isVerbatim: true,
    stream: { open: (request) => new NativeContentStream(request), partsOf },
  }
}
