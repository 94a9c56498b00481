import { saidInChat } from './chat-completions/said.ts'
import { saidInText } from './completions/said.ts'
import { saidInContents } from './generate-content/said.ts'
import { saidInMessage } from './messages/said.ts'
import { saidInResponse } from './responses/said.ts'
import type { SaidFormat } from './said.ts'

/** By the name of the endpoint: those whose answers are texts of a model. */
export const SAID_FORMATS: Readonly<Record<string, SaidFormat>> = {
  chat: saidInChat,
  messages: saidInMessage,
  responses: saidInResponse,
  completions: saidInText,
  generate_content: saidInContents,
}
