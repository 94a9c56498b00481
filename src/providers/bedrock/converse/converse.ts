import type { ChatRequest } from '../../../domain/request/chat.ts'
import type { Translator } from '../../family.ts'
import { modelTarget } from '../endpoint.ts'
import { markPrompt } from './mark-prompt.ts'
import { toWire } from './request.ts'
import { fromWire } from './response.ts'
import { stream } from './stream.ts'

/** One format for the models of all vendors. */
export const chat: Translator<ChatRequest> = {
  target: (provider, model, isStream) =>
    modelTarget(provider, model, isStream === true ? 'converse-stream' : 'converse'),
  namesModel: true,
  takesMarkers: true,
  toWire,
  markPrompt,
  fromWire,
  stream,
}
