export interface AlertChannelsTable {
  id: string
  name: string
  kind: string
  /** JSON: where to, without secrets. */
  options: string
  secret_encrypted: string | null
  min_severity: string
  enabled: number
  created_at: number
  updated_at: number
}

/** What was noticed, one row each time. */
export interface AlertsTable {
  id: string
  /** The same on every node; at most one row of it is not resolved. */
  identity: string
  rule: string
  severity: string
  subject: string
  workspace: string | null
  summary: string
  since: number
  /** Any node saw it then. */
  seen_at: number
  hold_ms: number
  /** Null: it has not lasted long enough to be sent. */
  fired_at: number | null
  resolved_at: number | null
}

/** The outbox: messages to channels, written in the transaction that decides them. */
export interface AlertDeliveriesTable {
  /** Sent with the message, so that a receiver can recognize a repeat. */
  id: string
  channel_id: string
  /** JSON: a list of what it says. */
  events: string
  state: 'pending' | 'sent' | 'failed'
  attempts: number
  due_at: number
  /** Who is sending it, and until when others must not. */
  lease: string | null
  leased_until: number | null
  last_error: string | null
  created_at: number
  finished_at: number | null
}
