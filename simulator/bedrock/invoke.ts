import { readMessageAsk, writeMessage } from '../anthropic/message.ts'
import { problemWithRequest } from '../anthropic/request-rules.ts'
import type { JsonObject } from '../json.ts'
import type { Ask, PlannedReply } from '../reply.ts'
import type { Account } from '../stage.ts'

const VERSION = 'bedrock-2023-05-31'

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
  const [unknown] = (betas ?? []).filter((beta) => String(beta).startsWith('unknown-'))
  if (unknown !== undefined)
    return `anthropic_beta: Unexpected value(s) \`${unknown}\` for the \`anthropic-beta\` header.`
  return problemWithRequest(inner(asked), '2023-06-01', betas !== undefined)
}

export function readInvokeAsk(asked: JsonObject): Ask {
  return { ...readMessageAsk(inner(asked)), model: String(asked['model']) }
}

export function writeInvoke(reply: PlannedReply, asked: JsonObject, account: Account): JsonObject {
  return writeMessage(reply, inner(asked), account)
}
