import type { Catalog } from '../calls/models/catalog.ts'
import type { LimitsState } from '../domain/gateway-status.ts'
import type { Reply } from '../http/call.ts'
import { jsonReply } from '../http/respond.ts'

export interface Health {
  phase(): 'starting' | 'ready' | 'draining'
  catalog: Catalog
  /** How far the request log is behind, and its last error. */
  log(): { lagRows: number; lagSeconds: number; maxRows: number; diskError: string | null; lastError: string | null }
  /** Until when changes of other nodes are known here; null: all of them are. */
  control(): { behindSince: number | null; lastError: string | null }
  /** Where limits are counted. */
  limits(): LimitsState
}

/** Alive: the process answers. */
export function handleHealthz(): Reply {
  return jsonReply(200, { status: 'alive' })
}

/**
 * Ready: it can serve. These do not make it unready: a missing model list, a database that is down, and a log that
 * waits for its database, because all nodes share that one, and callers would not learn why if all left the rotation. A
 * full disk does: it is this node's own.
 */
export function handleReadyz(health: Health): Reply {
  const phase = health.phase()
  const log = health.log()
  const control = health.control()
  const status = phase === 'ready' && log.diskError !== null ? 'log_full' : phase
  return jsonReply(status === 'ready' ? 200 : 503, {
    status,
    catalog_waiting_for: Object.fromEntries(health.catalog.waiting()),
    log: {
      lag_rows: log.lagRows,
      lag_seconds: Math.floor(log.lagSeconds),
      max_rows: log.maxRows,
      last_error: log.lastError,
    },
    control: {
      behind_since: control.behindSince === null ? null : new Date(control.behindSince).toISOString(),
      last_error: control.lastError,
    },
    limits: health.limits(),
  })
}

export async function handleMetrics(expose: () => Promise<string>, contentType: string): Promise<Reply> {
  return { status: 200, headers: { 'content-type': contentType }, body: await expose() }
}
