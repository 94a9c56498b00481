import { usableKey } from '../domain/usable-key.ts'
import { CallerLeftError, type Reply } from '../http/call.ts'
import type { playgroundOperations } from './contract/playground.ts'
import { changeBeside, type ManagementDeps } from './deps.ts'
import type { HandlersOf } from './router.ts'

export function playgroundHandlers(deps: ManagementDeps): HandlersOf<typeof playgroundOperations> {
  return {
    async 'chat.try'({ query, body }, context) {
      const { id, presence, openStream } = context
      const key = { id: query.key, workspace: query.workspace }
      usableKey(deps.snapshot(), key, context.now)
      // Before the call: spending on another key is always recorded. The request log has what was asked.
      await changeBeside(deps, context, async () => ({
        result: null,
        audit: {
          action: 'chat.try',
          workspace: query.workspace,
          resource: `keys/${query.key}`,
          before: null,
          after: { request_id: id },
        },
      }))
      const idempotencyKey = context.header('idempotency-key')
      const reply = await deps.tryChat({
        id,
        presence,
        openStream,
        key,
        body,
        idempotencyKey,
        endpoint: query.endpoint,
      })
      if (reply === null) throw new CallerLeftError('the caller left before the answer')
      return 'rest' in reply ? reply : toPlaygroundReply(reply, id)
    },
  }
}

const SHOWN = /^(x-gateway-|x-ratelimit-|retry-after$|server-timing$)/

function toPlaygroundReply({ status, headers, body }: Reply, id: string) {
  const named = Object.entries(headers).filter(([name]) => SHOWN.test(name))
  const text = typeof body === 'string' ? body : Buffer.from(body).toString()
  // The server would have added it to the answer; a repeated one carries the id of the first.
  return {
    status,
    headers: { 'x-gateway-request-id': id, ...Object.fromEntries(named) },
    body: isJson(headers) ? JSON.parse(text) : text,
  }
}

/** A transcript may be plain text. */
function isJson(headers: Reply['headers']): boolean {
  return headers['content-type']?.startsWith('application/json') !== false
}
