import type { Assemble } from './assembly.ts'
import { assembleChat } from './chat-completions/assemble.ts'
import { assembleText } from './completions/assemble.ts'
import { assembleContents } from './generate-content/assemble.ts'
import { assembleMessage } from './messages/assemble.ts'
import { assembleResponse } from './responses/assemble.ts'

/** By the name of the endpoint. Apart from the endpoints, so that a worker need not load all of them. */
export const ASSEMBLERS: Readonly<Record<string, Assemble>> = {
  chat: assembleChat,
  messages: assembleMessage,
  responses: assembleResponse,
  completions: assembleText,
  generate_content: assembleContents,
}
