import { GatewayError } from '../../domain/errors.ts'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import { type ChatRequest, readChatRequest } from '../../domain/request/chat.ts'
import { readResponsesRequest } from '../../domain/request/responses.ts'
import { toChat } from '../responses/to-chat.ts'

/** A chat request. Some editors send the body of the Responses API to this path and expect a completion. */
export function readChat(value: unknown, allowsStream = false): ChatRequest {
  if (!isJsonObject(value) || !isResponsesBody(value)) return readChatRequest(value, allowsStream)
  const { stream_options: options, tools, ...rest } = value
  const flat = Array.isArray(tools) ? { tools: tools.map(flatTool) } : {}
  const bridged = toChat(readResponsesRequest({ ...rest, ...flat }, allowsStream), {})
  if (bridged.kind !== 'bridged') {
    throw new GatewayError(bridged.kind === 'refused' ? bridged.code : 'invalid_request', bridged.message)
  }
  if (!isJsonObject(options)) return bridged.request
  return { ...bridged.request, stream_options: options }
}

function isResponsesBody({ messages, input }: JsonObject): boolean {
  return (messages ?? null) === null && (typeof input === 'string' || Array.isArray(input))
}

/** The same editors mix both forms of tools. */
function flatTool(tool: unknown): unknown {
  if (!isJsonObject(tool) || tool['type'] !== 'function' || !isJsonObject(tool['function'])) return tool
  return { ...tool['function'], type: 'function' }
}
