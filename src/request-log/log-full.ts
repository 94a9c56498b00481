import { GatewayError } from '../domain/errors.ts'

/** Why no further call can be logged: the database has too much to catch up with, or the disk takes no more. */
export type LogFullReason = 'database' | 'disk'

/** The database folds thousands of rows a second, and the disk is tried each second: what is full now may soon have room. */
const RETRY_SECONDS = 5

const TEXTS: Record<LogFullReason, string> = {
  database: 'The request log is full; calls are refused until the database catches up.',
  disk: 'The disk of the request log is full or failing; calls are refused until it can be written again.',
}

/** Never logged itself: a refusal with its own row would fill the log further. */
export function logFull(reason: LogFullReason, cause?: unknown): GatewayError {
  return new GatewayError('log_full', TEXTS[reason], { retryAfterSeconds: RETRY_SECONDS, cause })
}
