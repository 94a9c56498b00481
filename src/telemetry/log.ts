import pino, { type Logger } from 'pino'
import { oneLine } from '../domain/wording/one-line.ts'

export type Log = Logger

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

/** Wherever one of these names turns up in a log call, its value does not. */
const SECRET_FIELDS = ['authorization', 'api_key', 'apiKey', 'x-api-key', 'key', 'value', 'messages', 'content', 'body']

/** Structured log on standard error: one JSON object a line, or readable text on a terminal. */
export async function createLog(level: LogLevel, isTerminal = process.stderr.isTTY === true): Promise<Log> {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: SECRET_FIELDS.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]) },
  }
  if (!isTerminal) return pino(options, pino.destination({ dest: 2, sync: true }))
  const { default: pretty } = await import('pino-pretty')
  return pino(
    options,
    pretty({
      destination: 2,
      sync: true,
      ignore: 'pid,hostname',
      messageFormat: (log, key) => oneLine(String(log[key])),
    }),
  )
}
