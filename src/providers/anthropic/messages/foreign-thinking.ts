import { isJsonObject } from '../../../domain/request/call-request.ts'
import { type MessagesMessage, UNSIGNED } from '../../../domain/request/messages.ts'

/**
 * Without the reasoning of other families, which has no signature that the API would accept. Usually there is none, and
 * the messages stay the same object.
 */
export function withoutUnsigned(messages: MessagesMessage[]): MessagesMessage[] {
  return messages.some(hasUnsigned) ? messages.map(strip) : messages
}

function hasUnsigned({ role, content }: MessagesMessage): boolean {
  return role === 'assistant' && Array.isArray(content) && content.some(isUnsigned)
}

function isUnsigned(block: unknown): boolean {
  return isJsonObject(block) && block['type'] === 'thinking' && block['signature'] === UNSIGNED
}

/** A message of nothing else keeps an empty text: its place in the conversation counts. */
function strip(message: MessagesMessage): MessagesMessage {
  if (!hasUnsigned(message) || !Array.isArray(message.content)) return message
  const content = message.content.filter((block) => !isUnsigned(block))
  return { ...message, content: content.length > 0 ? content : [{ type: 'text', text: '(no answer)' }] }
}
