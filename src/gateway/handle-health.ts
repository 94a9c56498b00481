import type { Reply } from '../http/call.ts'
import { jsonReply } from '../http/respond.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Catalog } from './catalog.ts'

export interface Health {
  phase(): 'starting' | 'ready' | 'draining'
  catalog: Catalog
  /** The request log's lag behind what is durable, and the last error of moving it. */
  log(): { lagRows: number; lastError: string | null }
}

/** Alive: the process answers. */
export function handleHealthz(): Reply {
  return jsonReply(200, { status: 'alive' })
}

/** Can serve. A provider whose model list is still missing is named, but calls to it work: it does not make us unready. */
export function handleReadyz(health: Health): Reply {
  const status = health.phase()
  const { lagRows, lastError } = health.log()
  return jsonReply(status === 'ready' ? 200 : 503, {
    status,
    catalog_waiting_for: Object.fromEntries(health.catalog.waiting()),
    log: { lag_rows: lagRows, last_error: lastError },
  })
}

export async function handleMetrics(metrics: Metrics): Promise<Reply> {
  return { status: 200, headers: { 'content-type': metrics.contentType }, body: await metrics.expose() }
}
