import { problemInCloud } from '../anthropic/cloud-rules.ts'
import { readMessageAsk, writeMessage } from '../anthropic/message.ts'
import { problemWithRequest } from '../anthropic/request-rules.ts'
import type { JsonObject } from '../json.ts'
import type { Ask, PlannedReply } from '../reply.ts'
import type { Account } from '../stage.ts'

const VERSION = 'bedrock-2023-05-31'

/** What the service's documentation lists, and its users found; of others it does not say which it is about. */
const TAKEN: ReadonlySet<string> = new Set([
  'claude-code-20250219',
  'computer-use-2025-01-24',
  'context-1m-2025-08-07',
  'context-management-2025-06-27',
  'effort-2025-11-24',
  'fine-grained-tool-streaming-2025-05-14',
  'interleaved-thinking-2025-05-14',
  'mid-conversation-tool-changes-2026-07-01',
  'token-efficient-tools-2025-02-19',
  'tool-examples-2025-10-29',
  'tool-search-tool-2025-10-19',
])
/** One model takes hardly any. */
const TAKEN_BY_FEW: ReadonlySet<string> = new Set(['interleaved-thinking-2025-05-14'])

/** The body as the vendor's own API would get it. */
function inner({
  anthropic_version: _version,
  anthropic_beta: _betas,
  stream: _stream,
  ...body
}: JsonObject): JsonObject {
  return { ...body, model: vendorName(String(body['model'])) }
}

function vendorName(model: string): string {
  return model.replace(/^.*anthropic\./, '').replace(/(-\d{8})?-v\d+(:\d+)*$/, '')
}

/** The vendor's message, or null when the body of an invocation is good. `asked`: includes what is in the path. */
export function problemWithInvoke(asked: JsonObject): string | null {
  if (asked['anthropic_version'] !== VERSION) return 'anthropic_version: Field required'
  const betas = asked['anthropic_beta']
  if (betas !== undefined && !(Array.isArray(betas) && betas.length > 0)) return 'anthropic_beta: expected a list'
  const named = (betas ?? []).find((beta) => String(beta).startsWith('unknown-'))
  if (named !== undefined) return `anthropic_beta: Unexpected value(s) \`${named}\` for the \`anthropic-beta\` header.`
  const taken = String(asked['model']).includes('opus-4-7') ? TAKEN_BY_FEW : TAKEN
  if (!(betas ?? []).every((beta) => taken.has(String(beta)))) {
    return 'The model returned the following errors: invalid beta flag'
  }
  const unknown = problemInCloud(asked, betas ?? [])
  if (unknown !== null) return unknown
  return problemWithRequest(inner(asked), '2023-06-01', betas !== undefined)
}

export function readInvokeAsk(asked: JsonObject): Ask {
  return { ...readMessageAsk(inner(asked)), model: String(asked['model']) }
}

export function writeInvoke(reply: PlannedReply, asked: JsonObject, account: Account): JsonObject {
  return writeMessage(reply, inner(asked), account)
}
