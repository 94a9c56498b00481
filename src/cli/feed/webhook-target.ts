import { createHmac } from 'node:crypto'
import type { Environment } from '../../app/config.ts'
import { CliError } from '../cli-error.ts'
import type { FedLine, FeedTarget } from './feed-target.ts'
import { readCursor, replaceFile } from './folder-target.ts'

const TIMEOUT_MS = 30_000

/** One event a row, by Standard Webhooks: its id is the id of the request, so what comes twice can be recognized. */
export function webhookTarget(url: string, cursorPath: string, environment: Environment): FeedTarget {
  const secret = environment['FEED_WEBHOOK_SECRET']
  return {
    rows: 100,
    cursor: () => readCursor(cursorPath),
    async write(_name, lines) {
      for (const line of lines) await post(url, line, secret)
    },
    save: (at) => replaceFile(cursorPath, at),
  }
}

async function post(url: string, { id, text }: FedLine, secret: string | undefined): Promise<void> {
  const body = `{"type":"request","data":${text}}`
  const timestamp = String(Math.floor(Date.now() / 1000))
  const headers: Record<string, string> = {
    ...{ 'content-type': 'application/json', 'user-agent': 'switchyard' },
    ...{ 'webhook-id': id, 'webhook-timestamp': timestamp },
  }
  if (secret !== undefined) {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
    headers['webhook-signature'] = `v1,${signature}`
  }
  const init = { method: 'POST', headers, body, signal: AbortSignal.timeout(TIMEOUT_MS) }
  const answer = await fetch(url, init).catch((error: unknown) => {
    throw new CliError(`the webhook did not answer: ${error instanceof Error ? error.message : String(error)}`, 1)
  })
  await answer.body?.cancel()
  if (!answer.ok) throw new CliError(`the webhook answered ${answer.status}; the next run sends the rest`, 1)
}
